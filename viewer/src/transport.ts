// Play, step, scrub, speed: the bar under the scene, and the keys.
import {button, choice, element, icon} from './dom';
import type {Driver} from './driver';
import {endOf, type Timeline} from './timeline';

const speeds = ['0.1', '0.25', '0.5', '1', '2', '4', '8'];

export class Transport {
  readonly root: HTMLElement;
  private readonly toggle: HTMLButtonElement;
  private readonly scrub = element('input', {type: 'range', min: '0', max: '1000', value: '0', step: '1', 'aria-label': 'Time', class: 'scrub'});
  private readonly clock = element('output', {class: 'clock'});
  private playing: boolean | null = null;

  constructor(private readonly timeline: Timeline, private readonly driver: Driver) {
    this.toggle = button('play', 'Play or pause (space)', () => this.flip());
    this.toggle.classList.add('primary');
    const options: [string, string][] = speeds.map((s) => [s, `${s}×`]);
    if (driver.live) options.push(['Infinity', 'max']);
    this.scrub.addEventListener('input', () => {
      driver.pause();
      const begin = timeline.count > 0 ? timeline.time(0) : 0;
      driver.seek(begin + (Number(this.scrub.value) / 1000) * (endOf(timeline) - begin));
    });
    this.root = element(
      'div',
      {class: 'transport', role: 'toolbar', 'aria-label': 'Time'},
      button('reset', 'Back to the start (backspace)', () => driver.reset()),
      button('back', 'One frame back (←)', () => driver.step(-1)),
      this.toggle,
      button('forward', 'One frame on (→)', () => driver.step(1)),
      this.scrub,
      this.clock,
      choice('Speed', options, '1', (value) => (driver.speed = Number(value))),
    );
    window.addEventListener('keydown', (event) => this.key(event));
  }

  private flip(): void {
    if (this.driver.playing) this.driver.pause();
    else this.driver.play();
  }

  private key(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement && event.target.type === 'text') return;
    const far = event.shiftKey ? 10 : 1;
    const acts: Record<string, () => void> = {
      ' ': () => this.flip(),
      ArrowLeft: () => this.driver.step(-far),
      ArrowRight: () => this.driver.step(far),
      Backspace: () => this.driver.reset(),
      Home: () => this.driver.reset(),
      End: () => this.driver.seek(endOf(this.timeline)),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  draw(): void {
    const {driver, timeline} = this;
    if (driver.playing !== this.playing) {
      this.playing = driver.playing;
      this.toggle.replaceChildren(icon(driver.playing ? 'pause' : 'play'));
    }
    const begin = timeline.count > 0 ? timeline.time(0) : 0;
    const end = endOf(timeline);
    const share = end > begin ? (driver.time - begin) / (end - begin) : 0;
    if (document.activeElement !== this.scrub || driver.playing) this.scrub.value = String(Math.round(1000 * share));
    this.scrub.style.setProperty('--share', `${100 * share}%`);
    this.clock.textContent = `${driver.time.toFixed(2)} / ${end.toFixed(2)} s`;
  }
}

// How a live run is computed, changed while it runs, and the ghost that computes it another way.
import {choice, element} from './dom';
import type {RunInfo} from './format';
import type {Live} from './live';

const steps = ['0.0001', '0.0002', '0.0005', '0.001', '0.002', '0.005', '0.01', '0.02'];

export class RunSettings {
  readonly root = element('div', {class: 'settings'});
  private shown = '';

  constructor(private readonly live: Live) {}

  private row(run: RunInfo, type: 'settings' | 'ghost'): HTMLElement[] {
    const {choices} = this.live.hello;
    const send = (change: Record<string, unknown>): void => this.live.send({type, ...change});
    const named = (['method', 'integrator', 'stabilise', 'solver', 'contacts'] as const).map((key) =>
      choice(key, choices[key].map((v) => [v, v] as const), run[key], (value) => send({[key]: value})),
    );
    const values = steps.includes(String(run.step)) ? steps : [String(run.step), ...steps];
    const step = choice('step', values.map((v) => [v, `${Number(v) * 1000} ms`] as const), String(run.step), (value) => send({step: Number(value)}));
    return [...named, step];
  }

  show(run: RunInfo, ghost: RunInfo | null): void {
    const now = JSON.stringify([run, ghost]);
    if (now === this.shown) return;
    this.shown = now;
    const toggle = element('input', {type: 'checkbox', id: 'ghost'});
    toggle.checked = ghost !== null;
    toggle.addEventListener('change', () => this.live.send({type: 'ghost', on: toggle.checked}));
    this.root.replaceChildren(
      element('h3', {}, 'Run'),
      ...this.row(run, 'settings'),
      element('label', {class: 'check'}, toggle, element('span', {}, 'Ghost of a second method')),
      ...(ghost ? this.row(ghost, 'ghost') : []),
    );
  }
}

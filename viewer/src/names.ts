// Bodies and joints by name: a field to search in, and a list with a value each.
import {element} from './dom';
import {isBody, type SceneInfo} from './format';
import type {Choice} from './inspector';
import {quantity} from './numbers';
import {type Moment, type Timeline, valueAt} from './timeline';

const mostRows = 80;

interface Entry {
  name: string;
  what: string;
  choice: Exclude<Choice, null>;
  value: (moment: Moment) => string;
}

export class Names {
  readonly root: HTMLElement;
  private readonly entries: Entry[];
  private readonly list = element('ul', {class: 'names'});
  private readonly count = element('p', {class: 'facts'});
  private shown: {entry: Entry; out: HTMLElement; row: HTMLElement}[] = [];
  private chosen = '';
  private drawnAt = 0;

  constructor(scene: SceneInfo, timeline: Timeline, private readonly choose: (choice: Choice) => void) {
    const index = new Map(timeline.names.map((name, i) => [name, i]));
    const reader = (columns: (number | undefined)[], text: (values: number[]) => string) => (moment: Moment): string =>
      timeline.count === 0 || columns.some((c) => c === undefined) ? '' : text(columns.map((c) => valueAt(timeline, c!, moment)));
    const joints = scene.joints.map(({name, kind}, joint): Entry => ({
      name, what: kind, choice: {joint}, value: reader([index.get(`joint.${name}.q[0]`)], (values) => quantity(values, kind === 'slider' ? 'm' : 'rad')),
    }));
    const bodies = scene.bodies.map(({name, mass}, body): Entry => ({
      name, what: quantity([mass], 'kg'), choice: {body}, value: reader(['vx', 'vy', 'vz'].map((part) => index.get(`${name}.${part}`)), (v) => quantity([Math.hypot(...v)], 'm/s')),
    }));
    this.entries = [...bodies.filter((_, body) => isBody(scene.bodies[body]!)), ...joints];
    const field = element('input', {type: 'text', placeholder: 'Search by name or kind', 'aria-label': 'Search bodies and joints', spellcheck: 'false', autocomplete: 'off', class: 'search'});
    field.addEventListener('input', () => this.filter(field.value));
    this.root = element('div', {class: 'named'}, field, this.count, this.list);
    this.filter('');
  }

  private filter(text: string): void {
    const wanted = text.trim().toLowerCase();
    const found = this.entries.filter(({name, what}) => `${name} ${what}`.toLowerCase().includes(wanted));
    this.shown = found.slice(0, mostRows).map((entry) => {
      const out = element('b');
      const row = element('button', {type: 'button', class: 'entry'}, element('span', {}, entry.name), element('i', {}, entry.what), out);
      row.addEventListener('click', () => this.choose(entry.choice));
      return {entry, out, row};
    });
    this.list.replaceChildren(...this.shown.map(({row}) => element('li', {}, row)));
    this.count.textContent = found.length > mostRows ? `${mostRows} of ${found.length}; type to search` : `${found.length} of ${this.entries.length}`;
    this.drawnAt = 0;
    this.mark();
  }

  select(choice: Choice): void {
    this.chosen = JSON.stringify(choice);
    this.mark();
  }

  private mark(): void {
    for (const {entry, row} of this.shown) row.setAttribute('aria-pressed', String(JSON.stringify(entry.choice) === this.chosen));
  }

  // Values change ten times a second at most: faster, nobody can read them.
  draw(moment: Moment): void {
    const now = performance.now();
    if (now - this.drawnAt < 100 || this.root.offsetParent === null) return;
    this.drawnAt = now;
    for (const {entry, out} of this.shown) {
      const text = entry.value(moment);
      if (out.textContent !== text) out.textContent = text;
    }
  }
}

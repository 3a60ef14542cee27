// How a live run is computed, changed while it runs, and the ghost that computes it another way.
import {choice, element} from './dom';
import type {RunInfo} from './format';
import type {Live} from './live';

const steps = ['0.0001', '0.0002', '0.0005', '0.001', '0.002', '0.005', '0.01', '0.02'];
const labels = {method: 'method', integrator: 'integrator', stabilise: 'closing of joints', solver: 'solver of joints', contacts: 'solver of contacts'} as const;

export class RunSettings {
  readonly root = element('div', {class: 'settings'});
  private shown = '';
  private more = false; // the settings that few need are open

  constructor(private readonly live: Live) {}

  private rows(run: RunInfo, type: 'settings' | 'ghost'): HTMLElement[] {
    const {choices} = this.live.hello;
    const send = (change: Record<string, unknown>): void => this.live.send({type, ...change});
    const named = (key: keyof typeof labels): HTMLElement => {
      const made = choice(labels[key], choices[key].map((v) => [v, key === 'method' && v === 'auto' && run.method === 'auto' && run.used ? `auto (${run.used})` : v] as const), run[key], (value) => send({[key]: value}));
      made.querySelector('select')!.setAttribute('data-setting', `${type} ${key}`);
      return made;
    };
    const values = steps.includes(String(run.step)) ? steps : [String(run.step), ...steps];
    const step = choice('step', values.map((v) => [v, `${Number((Number(v) * 1000).toPrecision(6))} ms`] as const), String(run.step), (value) => send({step: Number(value)}));
    const rest = element('details', {class: 'more'}, element('summary', {}, 'More'), ...(['integrator', 'stabilise', 'solver', 'contacts'] as const).map(named));
    rest.open = this.more;
    rest.addEventListener('toggle', () => (this.more = rest.open));
    return [named('method'), step, rest];
  }

  show(run: RunInfo, ghost: RunInfo | null): void {
    const now = JSON.stringify([run, ghost]);
    if (now === this.shown) return;
    this.shown = now;
    const toggle = element('input', {type: 'checkbox', id: 'ghost'});
    toggle.checked = ghost !== null;
    toggle.addEventListener('change', () => this.live.send({type: 'ghost', on: toggle.checked}));
    this.root.replaceChildren(
      ...this.rows(run, 'settings'),
      element('label', {class: 'check', title: 'The same run by another method, drawn transparent'}, toggle, element('span', {}, 'Ghost: a second method beside it')),
      ...(ghost ? this.rows(ghost, 'ghost') : []),
    );
  }
}

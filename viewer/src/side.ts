// The panel at the side: how the run is computed and its ghost first, then what can be moved, then names and values, what is shown, and a legend.
import {element} from './dom';
import type {Driver} from './driver';
import type {RunInfo, SceneInfo} from './format';
import type {Choice} from './inspector';
import {Live} from './live';
import {Names} from './names';
import {figure, quantity} from './numbers';
import {type Toggle, toggles} from './overlays';
import {RunSettings} from './settings';
import {sliderRows} from './sliders';
import {endOf, type Moment, type Timeline} from './timeline';

export interface SideEvents {
  choose(choice: Choice): void;
  toggle(name: Toggle, on: boolean): void;
}

function section(title: string, open: boolean, ...children: HTMLElement[]): HTMLDetailsElement {
  const made = element('details', {}, element('summary', {}, title), ...children);
  made.open = open;
  return made;
}

// What the marks of each layer mean; drawn only while the layer is on.
const marks: [Toggle, string, string, string][] = [
  ['contacts', 'arrow', '#2ec4b6', 'contact force'],
  ['contacts', 'dot', '#ff3366', 'point of contact'],
  ['reactions', 'arrow', '#ff9f1c', 'force of a joint on its second body'],
  ['centres', 'dot', '#ffd60a', 'centre of mass'],
  ['frames', 'line', '#ff4d4f', 'x of a joint'],
  ['frames', 'line', '#52c41a', 'y of a joint'],
  ['frames', 'line', '#4096ff', 'z of a joint: its axis'],
  ['frames', 'line', '#ff2d95', 'gap of a joint'],
  ['wire', 'line', '#00d1b2', 'shape that collides'],
  ['inertia', 'dot', '#8b9dc3', 'ellipsoid of the same inertia'],
  ['joints', 'dot', 'var(--muted)', 'joint'],
];

export class Side {
  readonly root: HTMLElement;
  private readonly names: Names;
  private readonly settings: RunSettings | null = null;
  private readonly legend = element('ul', {class: 'legend-list'});
  private readonly on = new Set<Toggle>();

  constructor(scene: SceneInfo, timeline: Timeline, driver: Driver, private readonly scale: () => {force: number; length: number}, private readonly events: SideEvents) {
    this.names = new Names(scene, timeline, events.choose);
    const live = driver instanceof Live ? driver : null;
    if (live) this.settings = new RunSettings(live);
    const run = this.settings ? this.settings.root : this.facts(scene.run, timeline);
    const parts = [section('Method', true, run)];
    if (live && live.hello.controls.length > 0) parts.push(section('Controls', true, ...sliderRows(live, 'control')));
    if (live && live.hello.parameters.length > 0) parts.push(section('Parameters', live.hello.controls.length === 0, ...sliderRows(live, 'parameter')));
    parts.push(section('Bodies and joints', true, this.names.root), section('Show', false, ...this.boxes()), section('Legend', true, this.legend));
    this.root = element('aside', {class: 'side', 'aria-label': 'Panel'}, ...parts);
  }

  private facts(run: RunInfo, timeline: Timeline): HTMLElement {
    const lines: [string, string][] = [
      ['method', run.method], ['integrator', run.integrator], ['step', quantity([run.step], 's')],
      ['recorded', `${timeline.count} moments, ${figure(endOf(timeline))} s`],
    ];
    return element('dl', {class: 'facts'}, ...lines.flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, value)]));
  }

  private boxes(): HTMLElement[] {
    return toggles.map(([name, label]) => {
      const box = element('input', {type: 'checkbox', 'data-toggle': name});
      box.addEventListener('change', () => {
        this.events.toggle(name, box.checked);
        box.blur();
      });
      return element('label', {class: 'check'}, box, element('span', {}, label));
    });
  }

  show(run: RunInfo, ghost: RunInfo | null): void {
    this.settings?.show(run, ghost);
  }

  select(choice: Choice): void {
    this.names.select(choice);
  }

  // A layer was switched: the legend follows.
  set(toggle: Toggle, on: boolean): void {
    if (on) this.on.add(toggle);
    else this.on.delete(toggle);
    const box = this.root.querySelector<HTMLInputElement>(`input[data-toggle="${toggle}"]`);
    if (box) box.checked = on;
    const shown = marks.filter(([name]) => this.on.has(name));
    const lines = shown.map(([, kind, colour, text]) => element('li', {}, element('i', {class: `mark ${kind}`, style: `--mark: ${colour}`}), text));
    if (this.on.has('contacts') || this.on.has('reactions')) {
      const {force, length} = this.scale();
      lines.push(element('li', {class: 'note'}, `an arrow of ${quantity([length], 'm')} is ${quantity([force], 'N')}`));
    }
    this.legend.replaceChildren(...lines);
  }

  draw(moment: Moment): void {
    if (this.root.hidden) return;
    this.names.draw(moment);
  }
}

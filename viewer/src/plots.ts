// Plots below the scene, in step with it: what matters first, then any column a user asks for.
import {Quaternion, Vector3} from 'three';
import {element} from './dom';
import type {Driver} from './driver';
import type {JointInfo, SceneInfo} from './format';
import {svgFile} from './pen';
import {Plot, type Series} from './plot';
import {Poses} from './poses';
import {type Moment, momentAt, type Timeline, valueAt} from './timeline';

const units: [RegExp, string][] = [
  [/\.(x|y|z)$|^drift\.position$/, 'm'], [/\.v[xyz]$/, 'm/s'], [/\.w[xyz]$/, 'rad/s'], [/\.f[xyz]$|^contacts\.normal$/, 'N'], [/\.t[xyz]$/, 'N m'], [/^energy\./, 'J'], [/^drift\.angle$/, 'rad'],
];

// Of a column, by its name; empty where the name does not tell.
const unitOf = (name: string): string => units.find(([pattern]) => pattern.test(name))?.[1] ?? '';

export class Plots {
  readonly root = element('div', {class: 'plots'});
  private readonly cards = element('div', {class: 'cards'});
  private plots: Plot[] = [];
  private hover: number | null = null;
  private readonly index: Map<string, number>;

  constructor(scene: SceneInfo, private readonly timeline: Timeline, private readonly driver: Driver) {
    this.index = new Map(timeline.names.map((name, i) => [name, i]));
    this.root.append(this.cards);
    this.openMotion(scene);
    this.openDrives(scene);
    this.open('Energy', 'J', ['energy.kinetic', 'energy.potential', 'total']);
    this.open('Contact forces', 'N', this.wholly0('contacts.normal') ? [] : ['contacts.normal']);
    this.open('Work since the start', 'J', ['energy.motors', 'energy.actuators', 'energy.external', 'energy.damping', 'energy.contacts', 'energy.projection']);
    this.open('Drift (m, rad) and residual', '', ['drift.position', 'drift.angle', 'residual'], true);
    this.cards.append(this.chooser());
  }

  // What a user looks for first: the angles that change most, or the heights where there are none.
  private openMotion(scene: SceneInfo): void {
    const turning = scene.joints.filter(({kind}) => kind === 'hinge' || kind === 'pin').map(({name}) => `joint.${name}.q[0]`);
    const angles = this.widest(turning);
    if (angles.length > 0) this.open('Joint angles', 'rad', angles);
    else this.open('Heights', 'm', this.widest(scene.bodies.map(({name}) => `${name}.${scene.gravity[2] === 0 && scene.gravity[1] !== 0 ? 'y' : 'z'}`)));
  }

  // What motors and actuators do: along the axis of a joint that they drive, the joint's force or torque.
  private openDrives(scene: SceneInfo): void {
    const driven = scene.joints.filter(({motor, kind}) => motor && (kind === 'hinge' || kind === 'slider'));
    for (const [kind, title, unit, part] of [['hinge', 'Torques of motors', 'N m', 't'], ['slider', 'Forces of motors', 'N', 'f']] as const) {
      const series = driven.filter((joint) => joint.kind === kind).flatMap((joint) => this.alongAxis(scene, joint, part) ?? []);
      this.show(title, unit, series.slice(0, 3), false);
    }
  }

  private alongAxis(scene: SceneInfo, joint: JointInfo, part: 't' | 'f'): Series | null {
    const columns = ['x', 'y', 'z'].map((axis) => this.index.get(`joint.${joint.name}.${part}${axis}`));
    if (columns.some((c) => c === undefined)) return null;
    const poses = new Poses(scene, this.timeline);
    const p = new Vector3(), q = new Quaternion(), own = new Quaternion(joint.frame_b[1], joint.frame_b[2], joint.frame_b[3], joint.frame_b[0]);
    const value = (moment: Moment): number => {
      q.identity();
      if (joint.b >= 0) poses.place(joint.b, moment, p, q);
      const axis = new Vector3(0, 0, 1).applyQuaternion(own).applyQuaternion(q);
      return axis.toArray().reduce((sum, a, k) => sum + a * valueAt(this.timeline, columns[k]!, moment), 0);
    };
    return {label: joint.name, value: (frame) => value({frame, fraction: 0}), at: (time) => value(momentAt(this.timeline, time))};
  }

  // Those columns that cover the widest ranges, three at most, in their order.
  private widest(names: string[]): string[] {
    const {timeline} = this;
    const every = Math.max(1, Math.floor(timeline.count / 200));
    const ranges = names.flatMap((name) => {
      const column = this.index.get(name);
      if (column === undefined) return [];
      let [low, high] = [Infinity, -Infinity];
      for (let f = 0; f < timeline.count; f += every) {
        low = Math.min(low, timeline.value(column, f));
        high = Math.max(high, timeline.value(column, f));
      }
      return high > low || this.driver.live ? [{name, range: high - low}] : [];
    });
    const chosen = new Set([...ranges].sort((a, b) => b.range - a.range).slice(0, 3).map(({name}) => name));
    return names.filter((name) => chosen.has(name));
  }

  private wholly0(name: string): boolean {
    const column = this.index.get(name);
    return column === undefined || (!this.driver.live && !this.moves((frame) => this.timeline.value(column, frame)));
  }

  private series(name: string): Series | null {
    const {timeline} = this;
    const columns = (name === 'total' ? ['energy.kinetic', 'energy.potential'] : [name]).map((n) => this.index.get(n));
    if (columns.some((c) => c === undefined)) return null;
    const sum = (each: (column: number) => number): number => columns.reduce<number>((total, c) => total + each(c!), 0);
    return {
      label: name === 'contacts.normal' ? 'sum of normal forces' : name.replace(/^(energy|drift|joint)\./, '').replace(/\.q\[0\]$/, ''),
      value: (frame) => sum((c) => timeline.value(c, frame)),
      at: (time) => {
        const moment = momentAt(timeline, time);
        return sum((c) => valueAt(timeline, c, moment));
      },
    };
  }

  // A plot of several columns.
  open(title: string, unit: string, names: string[], log = false): void {
    this.show(title, unit, names.flatMap((name) => this.series(name) ?? []), log);
  }

  private show(title: string, unit: string, known: Series[], log: boolean): void {
    const busy = this.driver.live ? known : known.filter(({value}) => this.moves(value));
    const series = busy.length > 0 ? busy : known;
    if (series.length === 0) return;
    const plot = new Plot(title, unit, series, log, this.timeline, this.driver, {
      close: () => {
        plot.card.remove();
        this.plots = this.plots.filter((other) => other !== plot);
      },
      hover: (time) => (this.hover = time),
    });
    this.plots.push(plot);
    this.cards.insertBefore(plot.card, this.cards.querySelector('.chooser'));
  }

  // Of several series, those that stay zero throughout are left out.
  private moves(value: (frame: number) => number): boolean {
    for (let f = 0; f < this.timeline.count; ++f) if (value(f) !== 0) return true;
    return false;
  }

  // Any column: typed, completed from the list, drawn on Enter.
  private chooser(): HTMLElement {
    const list = element('datalist', {id: 'columns'}, ...this.timeline.names.slice(0, 5000).map((name) => element('option', {value: name})));
    const field = element('input', {list: 'columns', type: 'text', placeholder: 'Add a column', 'aria-label': 'Column to plot', spellcheck: 'false', autocomplete: 'off'});
    const add = (): void => {
      if (!this.index.has(field.value)) return;
      this.open(field.value, unitOf(field.value), [field.value]);
      field.value = '';
    };
    field.addEventListener('change', add);
    return element('section', {class: 'plot chooser'}, field, list, element('p', {}, 'Drag in a plot to move through the run; point to read values.'));
  }

  draw(time: number): void {
    if (this.root.hidden) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--muted');
    const faint = style.getPropertyValue('--line');
    for (const plot of this.plots) plot.draw(ink, faint, time, this.hover);
  }

  // All plots below each other, as a file.
  svg(): string {
    const [width, height] = [640, 200];
    const pens = this.plots.map((plot) => plot.svg(width, height, '#3c4656', '#d7dde5'));
    const tall = pens[0]?.size.height ?? 0;
    return svgFile(width, Math.max(1, pens.length) * tall, '#ffffff', pens.map((pen, i) => pen.group(0, i * tall)));
  }
}

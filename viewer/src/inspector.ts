// The panel that names what was clicked and shows its values as they change.
import {button, element} from './dom';
import type {SceneInfo} from './format';
import {figure, quantity} from './numbers';
import {type Moment, type Timeline, valueAt} from './timeline';

export type Choice = {body: number} | {joint: number} | null;

interface Line {
  label: string;
  columns: number[];
  unit: string;
}

const units: Record<string, string> = {position: 'm', orientation: '', velocity: 'm/s', 'angular velocity': 'rad/s', scale: '', force: 'N', torque: 'N m'};

export class Inspector {
  readonly root = element('aside', {class: 'inspector panel', hidden: ''});
  private lines: {line: Line; out: HTMLElement}[] = [];
  private readonly index: Map<string, number>;

  constructor(private readonly scene: SceneInfo, private readonly timeline: Timeline, private readonly clear: () => void, private readonly plot: (title: string, unit: string, columns: string[]) => void) {
    this.index = new Map(timeline.names.map((name, i) => [name, i]));
  }

  show(choice: Choice): void {
    this.root.hidden = choice === null;
    this.lines = [];
    if (choice === null) return;
    const [title, facts, lines] = 'body' in choice ? this.body(choice.body) : this.joint(choice.joint);
    const table = element('dl');
    for (const line of lines) {
      if (line.columns.length === 0) continue;
      const out = element('dd');
      const label = element('dt', {title: 'Plot', tabindex: '0', role: 'button'}, line.label);
      const plot = (): void => this.plot(`${title} ${line.label}`, line.unit, line.columns.map((c) => this.timeline.names[c]!));
      label.addEventListener('click', plot);
      label.addEventListener('keydown', ({key}) => key === 'Enter' && plot());
      table.append(label, out);
      this.lines.push({line, out});
    }
    this.root.replaceChildren(element('header', {}, element('h2', {}, title), button('close', 'Close', this.clear)), element('p', {class: 'facts'}, facts), table);
  }

  private columns(prefix: string, parts: readonly string[]): number[] {
    return parts.map((part) => this.index.get(prefix + part)).filter((c) => c !== undefined);
  }

  private line(label: string, prefix: string, parts: readonly string[]): Line {
    return {label, columns: this.columns(prefix, parts), unit: units[label] ?? ''};
  }

  private body(body: number): [string, string, Line[]] {
    const info = this.scene.bodies[body]!;
    const at = `${info.name}.`;
    return [
      info.name,
      `${info.stretch ? 'stretching' : info.kind} body, ${figure(info.mass)} kg`,
      [
        this.line('position', at, ['x', 'y', 'z']),
        this.line('orientation', at, ['qw', 'qx', 'qy', 'qz']),
        this.line('velocity', at, ['vx', 'vy', 'vz']),
        this.line('angular velocity', at, ['wx', 'wy', 'wz']),
        this.line('scale', at, ['scale']),
        this.line('stretch', at, ['form.q[0]', 'form.q[1]', 'form.q[2]']),
      ],
    ];
  }

  private joint(joint: number): [string, string, Line[]] {
    const info = this.scene.joints[joint]!;
    const nameOf = (body: number): string => (body < 0 ? 'ground' : this.scene.bodies[body]!.name);
    const at = `joint.${info.name}.`;
    const unit = info.kind === 'slider' ? 'm' : ['hinge', 'pin', 'universal'].includes(info.kind) ? 'rad' : '';
    return [
      info.name,
      `${info.kind} joint between ${nameOf(info.a)} and ${nameOf(info.b)}`,
      [
        {...this.line('coordinates', at, ['q[0]', 'q[1]', 'q[2]']), unit},
        {...this.line('rates', at, ['v[0]', 'v[1]', 'v[2]']), unit: unit && `${unit}/s`},
        this.line('force', at, ['fx', 'fy', 'fz']),
        this.line('torque', at, ['tx', 'ty', 'tz']),
      ],
    ];
  }

  draw(moment: Moment): void {
    if (this.timeline.count === 0) return;
    for (const {line, out} of this.lines) {
      const text = quantity(line.columns.map((c) => valueAt(this.timeline, c, moment)), line.unit);
      if (out.textContent !== text) out.textContent = text;
    }
  }
}

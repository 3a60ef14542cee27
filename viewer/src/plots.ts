// Plots below the scene, in step with it: canvases that show columns over time and a line at the present.
import {seriesColours} from './colours';
import {element, icon} from './dom';
import type {Driver} from './driver';
import type {SceneInfo} from './format';
import {figure, quantity} from './numbers';
import {endOf, momentAt, type Timeline, valueAt} from './timeline';

interface Series {
  label: string;
  value: (frame: number) => number;
  at: (time: number) => number;
}

interface Range {
  low: number;
  high: number;
}

const margin = {left: 52, right: 10, top: 8, bottom: 20};

function niceTicks({low, high}: Range, count: number): number[] {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
  const ticks: number[] = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) ticks.push(Math.abs(t) < 1e-9 * step ? 0 : t);
  return ticks;
}

class Plot {
  readonly card: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly legend = element('div', {class: 'legend'});
  private readonly backdrop = document.createElement('canvas');
  private drawn = ''; // what the backdrop shows
  private values: HTMLElement[] = [];
  private readonly unit: string; // from the title: "Energy, J"

  constructor(title: string, private readonly series: Series[], private readonly log: boolean, private readonly timeline: Timeline, driver: Driver, close: () => void) {
    this.canvas = element('canvas', {role: 'img', 'aria-label': `${title} over time`});
    this.unit = / (J|N|N m|m)$/.exec(title)?.[1] ?? '';
    const shut = element('button', {class: 'shut', type: 'button', title: `Close ${title}`, 'aria-label': `Close ${title}`}, icon('close'));
    shut.addEventListener('click', close);
    series.forEach(({label}, i) => {
      const value = element('b');
      this.values.push(value);
      const swatch = element('i', {style: `background:${seriesColours[i % seriesColours.length]}`});
      this.legend.append(element('span', {}, swatch, `${label} `, value));
    });
    this.card = element('section', {class: 'plot', 'data-title': title}, element('header', {}, element('h3', {}, title), shut), this.canvas, this.legend);
    const scrub = (event: PointerEvent): void => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
      const begin = timeline.count > 0 ? timeline.time(0) : 0;
      driver.pause();
      driver.seek(begin + Math.min(1, Math.max(0, share)) * (endOf(timeline) - begin));
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons) scrub(event);
    });
  }

  private scaled(x: number): number {
    return this.log ? Math.log10(Math.max(Math.abs(x), 1e-18)) : x;
  }

  private range(): Range {
    let low = Infinity;
    let high = -Infinity;
    const {count} = this.timeline;
    const every = Math.max(1, Math.floor(count / 2000));
    for (const {value} of this.series)
      for (let f = 0; f < count; f += every) {
        const y = this.scaled(value(f));
        if (!Number.isFinite(y)) continue;
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
    if (low > high) return {low: 0, high: 1};
    const pad = Math.max(0.06 * (high - low), this.log ? 0.5 : 1e-9 + 1e-3 * Math.max(Math.abs(low), Math.abs(high)));
    return {low: low - pad, high: high + pad};
  }

  // Axes and curves change with the data and the size only; the line at the present is drawn over a copy.
  private drawBackdrop(width: number, height: number, ratio: number, ink: string, faint: string): void {
    this.backdrop.width = Math.round(width * ratio);
    this.backdrop.height = Math.round(height * ratio);
    const g = this.backdrop.getContext('2d');
    if (!g) return;
    g.scale(ratio, ratio);
    const {timeline} = this;
    const begin = timeline.count > 0 ? timeline.time(0) : 0;
    const time: Range = {low: begin, high: Math.max(endOf(timeline), begin + 1e-9)};
    const y = this.range();
    const toX = (t: number): number => margin.left + ((t - time.low) / (time.high - time.low)) * (width - margin.left - margin.right);
    const toY = (v: number): number => margin.top + ((y.high - v) / (y.high - y.low)) * (height - margin.top - margin.bottom);
    g.font = '10px system-ui, sans-serif';
    g.strokeStyle = faint;
    g.fillStyle = ink;
    g.lineWidth = 1;
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    const ticks = this.log ? niceTicks(y, 3).filter(Number.isInteger) : niceTicks(y, 3);
    for (const tick of ticks) {
      g.beginPath();
      g.moveTo(margin.left, toY(tick));
      g.lineTo(width - margin.right, toY(tick));
      g.stroke();
      g.fillText(figure(this.log ? 10 ** tick : tick), margin.left - 6, toY(tick));
    }
    g.textAlign = 'center';
    g.textBaseline = 'top';
    for (const tick of niceTicks(time, 5)) g.fillText(`${figure(tick)} s`, toX(tick), height - margin.bottom + 6);
    this.curves(g, toX, toY, width);
  }

  private curves(g: CanvasRenderingContext2D, toX: (t: number) => number, toY: (v: number) => number, width: number): void {
    const {timeline} = this;
    const every = Math.max(1, Math.floor(timeline.count / (2 * width)));
    g.lineWidth = 1.6;
    g.lineJoin = 'round';
    this.series.forEach(({value}, i) => {
      g.strokeStyle = seriesColours[i % seriesColours.length]!;
      g.beginPath();
      for (let f = 0; f < timeline.count; f += every) g.lineTo(toX(timeline.time(f)), toY(this.scaled(value(f))));
      g.stroke();
    });
  }

  draw(time: number, ink: string, faint: string): void {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const {timeline} = this;
    const wanted = `${width} ${height} ${timeline.count} ${endOf(timeline)} ${ink}`;
    if (wanted !== this.drawn) {
      this.drawBackdrop(width, height, ratio, ink, faint);
      this.drawn = wanted;
    }
    this.canvas.width = this.backdrop.width;
    this.canvas.height = this.backdrop.height;
    const g = this.canvas.getContext('2d');
    if (!g || timeline.count === 0) return;
    g.drawImage(this.backdrop, 0, 0);
    g.scale(ratio, ratio);
    const begin = timeline.time(0);
    const span = Math.max(endOf(timeline) - begin, 1e-9);
    const x = margin.left + ((time - begin) / span) * (width - margin.left - margin.right);
    g.strokeStyle = ink;
    g.globalAlpha = 0.8;
    g.beginPath();
    g.moveTo(x, margin.top);
    g.lineTo(x, height - margin.bottom);
    g.stroke();
    this.series.forEach(({at}, i) => {
      const text = this.unit ? quantity([at(time)], this.unit) : figure(at(time));
      if (this.values[i]!.textContent !== text) this.values[i]!.textContent = text;
    });
  }
}

export class Plots {
  readonly root = element('div', {class: 'plots'});
  private readonly cards = element('div', {class: 'cards'});
  private plots: Plot[] = [];
  private readonly index: Map<string, number>;

  constructor(scene: SceneInfo, private readonly timeline: Timeline, private readonly driver: Driver) {
    this.index = new Map(timeline.names.map((name, i) => [name, i]));
    this.root.append(this.cards);
    this.openMotion(scene);
    this.open('Energy, J', ['energy.kinetic', 'energy.potential', 'total'], false);
    this.open('Work since the start, J', ['energy.motors', 'energy.actuators', 'energy.external', 'energy.damping', 'energy.contacts', 'energy.projection'], false);
    this.open('Contact forces, N', this.wholly0('contacts.normal') ? [] : ['contacts.normal'], false);
    this.open('Drift (m, rad) and residual', ['drift.position', 'drift.angle', 'residual'], true);
    this.cards.append(this.chooser());
  }

  // What a user looks for first: the angles that change most, or the heights where there are none.
  private openMotion(scene: SceneInfo): void {
    const turning = scene.joints.filter(({kind}) => kind === 'hinge' || kind === 'pin').map(({name}) => `joint.${name}.q[0]`);
    const angles = this.widest(turning);
    if (angles.length > 0) this.open('Joint angles, rad', angles, false);
    else this.open('Heights, m', this.widest(scene.bodies.map(({name}) => `${name}.${scene.gravity[2] === 0 && scene.gravity[1] !== 0 ? 'y' : 'z'}`)), false);
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

  // A panel of several columns.
  open(title: string, names: string[], log: boolean): void {
    const known = names.map((name) => this.series(name)).filter((s) => s !== null);
    const busy = this.driver.live ? known : known.filter(({value}) => this.moves(value));
    const series = busy.length > 0 ? busy : known;
    if (series.length === 0) return;
    const plot = new Plot(title, series, log, this.timeline, this.driver, () => {
      plot.card.remove();
      this.plots = this.plots.filter((other) => other !== plot);
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
    const field = element('input', {list: 'columns', type: 'text', placeholder: 'Add a column: body.x …', 'aria-label': 'Column to plot', spellcheck: 'false', autocomplete: 'off'});
    const add = (): void => {
      if (!this.index.has(field.value)) return;
      this.open(field.value, [field.value], false);
      field.value = '';
    };
    field.addEventListener('change', add);
    return element('section', {class: 'plot chooser'}, field, list, element('p', {}, 'Drag in a plot to move through the run.'));
  }

  draw(time: number): void {
    if (this.root.hidden) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--muted');
    const faint = style.getPropertyValue('--line');
    for (const plot of this.plots) plot.draw(time, ink, faint);
  }
}

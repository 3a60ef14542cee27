// One plot: columns over time on a canvas, a line at the present, and the values under the pointer.
import {seriesColours} from './colours';
import {element, icon} from './dom';
import type {Driver} from './driver';
import {figure, quantity} from './numbers';
import {type Pen, SvgPen} from './pen';
import {endOf, type Timeline} from './timeline';

export interface Series {
  label: string;
  value: (frame: number) => number;
  at: (time: number) => number;
}

interface Range {
  low: number;
  high: number;
}

// What a plot is drawn into.
interface Frame {
  width: number;
  height: number;
  ink: string;
  faint: string;
}

export interface Look extends Frame {
  ratio: number; // pixels of the screen for one of ours
  time: number; // shown by the scene
  hover: number | null; // under the pointer
}

const margin = {left: 62, right: 12, top: 20, bottom: 20};

const tickWidth = 42; // of a time below an axis

function niceTicks({low, high}: Range, count: number): number[] {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
  const ticks: number[] = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) ticks.push(Math.abs(t) < 1e-9 * step ? 0 : t);
  return ticks;
}

export class Plot {
  readonly card: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly legend = element('div', {class: 'legend'});
  private readonly backdrop = document.createElement('canvas');
  private drawn = ''; // what the backdrop shows
  private values: HTMLElement[] = [];
  private y: Range = {low: 0, high: 1};

  // `unit` is that of the columns; `hover` is told the time under the pointer, or that there is none.
  constructor(private readonly title: string, private readonly unit: string, private readonly series: Series[], private readonly log: boolean, private readonly timeline: Timeline, driver: Driver, acts: {close: () => void; hover: (time: number | null) => void}) {
    this.canvas = element('canvas', {role: 'img', 'aria-label': `${title} over time`});
    const shut = element('button', {class: 'shut', type: 'button', title: `Close ${title}`, 'aria-label': `Close ${title}`}, icon('close'));
    shut.addEventListener('click', acts.close);
    series.forEach(({label}, i) => {
      const value = element('b');
      this.values.push(value);
      const swatch = element('i', {style: `background:${seriesColours[i % seriesColours.length]}`});
      this.legend.append(element('span', {}, swatch, `${label} `, value));
    });
    this.card = element('section', {class: 'plot', 'data-title': title}, element('header', {}, element('h3', {}, title), shut), this.canvas, this.legend);
    const timeAt = (event: PointerEvent): number => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
      const {low, high} = this.span();
      return low + Math.min(1, Math.max(0, share)) * (high - low);
    };
    const scrub = (event: PointerEvent): void => {
      driver.pause();
      driver.seek(timeAt(event));
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons) scrub(event);
      acts.hover(event.pointerType === 'touch' ? null : timeAt(event));
    });
    this.canvas.addEventListener('pointerleave', () => acts.hover(null));
  }

  private span(): Range {
    const low = this.timeline.count > 0 ? this.timeline.time(0) : 0;
    return {low, high: Math.max(endOf(this.timeline), low + 1e-9)};
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

  private toX(time: number, width: number): number {
    const {low, high} = this.span();
    return margin.left + ((time - low) / (high - low)) * (width - margin.left - margin.right);
  }

  private toY(value: number, height: number): number {
    return margin.top + ((this.y.high - value) / (this.y.high - this.y.low)) * (height - margin.top - margin.bottom);
  }

  // Axes with numbers and units, and the curves.
  private sketch(g: Pen, {width, height, ink, faint}: Frame): void {
    this.y = this.range();
    g.font = '10px system-ui, sans-serif';
    g.strokeStyle = faint;
    g.fillStyle = ink;
    g.lineWidth = 1;
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    const few = niceTicks(this.y, 3);
    const ticks = this.log ? few.filter(Number.isInteger) : few.length < 2 ? niceTicks(this.y, 6) : few;
    for (const tick of ticks) {
      const y = this.toY(tick, height);
      g.beginPath();
      g.moveTo(margin.left, y);
      g.lineTo(width - margin.right, y);
      g.stroke();
      g.fillText(figure(this.log ? 10 ** tick : tick), margin.left - 6, y);
    }
    g.textBaseline = 'top';
    g.fillText(this.unit, margin.left - 6, 3);
    g.textAlign = 'center';
    const room = Math.floor((width - margin.left - margin.right) / tickWidth);
    for (const tick of niceTicks(this.span(), Math.min(5, Math.max(1, room)))) g.fillText(`${figure(tick)} s`, this.toX(tick, width), height - margin.bottom + 6);
    g.strokeStyle = ink;
    g.beginPath();
    g.moveTo(margin.left, margin.top);
    g.lineTo(margin.left, height - margin.bottom);
    g.lineTo(width - margin.right, height - margin.bottom);
    g.stroke();
    this.curves(g, width, height);
  }

  private curves(g: Pen, width: number, height: number): void {
    const {timeline} = this;
    const every = Math.max(1, Math.floor(timeline.count / (2 * width)));
    g.lineWidth = 1.6;
    g.lineJoin = 'round';
    this.series.forEach(({value}, i) => {
      g.strokeStyle = seriesColours[i % seriesColours.length]!;
      g.beginPath();
      for (let f = 0; f < timeline.count; f += every) g.lineTo(this.toX(timeline.time(f), width), this.toY(this.scaled(value(f)), height));
      g.stroke();
    });
  }

  // The same as SVG, with its title and what its colours mean.
  svg(width: number, height: number, ink: string, faint: string): SvgPen {
    const pen = new SvgPen(width, height + 34);
    this.sketch(pen, {width, height, ink, faint});
    pen.textAlign = 'left';
    pen.textBaseline = 'top';
    pen.fillStyle = ink;
    pen.fillText(this.title, margin.left, 3);
    let at = margin.left;
    this.series.forEach(({label}, i) => {
      pen.fillStyle = seriesColours[i % seriesColours.length]!;
      pen.fillText(label, at, height + 8);
      at += 8 * label.length + 14;
    });
    return pen;
  }

  private marker(g: CanvasRenderingContext2D, time: number, {width, height, ink}: Look, dashed: boolean): void {
    const x = this.toX(time, width);
    g.strokeStyle = ink;
    g.setLineDash(dashed ? [3, 3] : []);
    g.beginPath();
    g.moveTo(x, margin.top);
    g.lineTo(x, height - margin.bottom);
    g.stroke();
    g.setLineDash([]);
    if (!dashed) return;
    this.series.forEach(({at}, i) => {
      g.fillStyle = seriesColours[i % seriesColours.length]!;
      g.beginPath();
      g.arc(x, this.toY(this.scaled(at(time)), height), 3, 0, 2 * Math.PI);
      g.fill();
    });
    g.fillStyle = ink;
    g.textBaseline = 'top';
    g.textAlign = x > width / 2 ? 'right' : 'left';
    g.fillText(`${time.toFixed(3)} s`, x + (x > width / 2 ? -5 : 5), 4);
  }

  // The curves change with the data and the size only; what moves is drawn over a copy of them.
  draw(ink: string, faint: string, time: number, hover: number | null): void {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    if (width === 0 || height === 0) return;
    const look: Look = {width, height, ink, faint, time, hover, ratio: Math.min(window.devicePixelRatio, 2)};
    const {timeline} = this;
    const wanted = `${width} ${height} ${timeline.count} ${endOf(timeline)} ${ink}`;
    if (wanted !== this.drawn) {
      this.backdrop.width = Math.round(width * look.ratio);
      this.backdrop.height = Math.round(height * look.ratio);
      const back = this.backdrop.getContext('2d');
      back?.scale(look.ratio, look.ratio);
      if (back) this.sketch(back, look);
      this.drawn = wanted;
    }
    this.canvas.width = this.backdrop.width;
    this.canvas.height = this.backdrop.height;
    const g = this.canvas.getContext('2d');
    if (!g || timeline.count === 0) return;
    g.drawImage(this.backdrop, 0, 0);
    g.scale(look.ratio, look.ratio);
    g.font = '10px system-ui, sans-serif';
    this.marker(g, time, look, false);
    if (hover !== null) this.marker(g, hover, look, true);
    this.series.forEach(({at}, i) => {
      const value = at(hover ?? time);
      const text = this.unit ? quantity([value], this.unit) : figure(value);
      if (this.values[i]!.textContent !== text) this.values[i]!.textContent = text;
    });
  }
}

// A run as the page sees it: numbers by column and frame, in order of time.
import type {Contact} from './format';

export interface Timeline {
  readonly names: readonly string[]; // of the columns, without `time`
  readonly count: number; // frames
  time(frame: number): number;
  value(column: number, frame: number): number;
  contacts(frame: number): readonly Contact[];
}

// A moment between two frames.
export interface Moment {
  frame: number;
  fraction: number; // 0 … 1 towards frame + 1
}

export function momentAt(timeline: Pick<Timeline, 'count' | 'time'>, time: number): Moment {
  const last = timeline.count - 1;
  if (last <= 0 || time <= timeline.time(0)) return {frame: 0, fraction: 0};
  if (time >= timeline.time(last)) return {frame: last, fraction: 0};
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (timeline.time(middle) <= time) low = middle;
    else high = middle;
  }
  const begin = timeline.time(low);
  return {frame: low, fraction: (time - begin) / (timeline.time(high) - begin)};
}

export function valueAt(timeline: Timeline, column: number, {frame, fraction}: Moment): number {
  const a = timeline.value(column, frame);
  return fraction > 0 ? a + fraction * (timeline.value(column, frame + 1) - a) : a;
}

export function endOf(timeline: Timeline): number {
  return timeline.count > 0 ? timeline.time(timeline.count - 1) : 0;
}

// Frames as they arrive from a running simulation; the oldest go when there are too many.
export class LiveTimeline implements Timeline {
  private times: number[] = [];
  private rows: Float32Array[] = [];
  private touching: (readonly Contact[])[] = [];
  private readonly capacity: number;

  constructor(readonly names: readonly string[]) {
    const bytes = 256e6;
    this.capacity = Math.max(600, Math.floor(bytes / (4 * Math.max(names.length, 1))));
  }

  get count(): number {
    return this.times.length;
  }

  // A frame at or before the last one replaces what came after it: the simulation was set back.
  push(time: number, row: Float32Array, contacts: readonly Contact[]): void {
    while (this.count > 0 && this.times[this.count - 1]! >= time) {
      this.times.pop();
      this.rows.pop();
      this.touching.pop();
    }
    this.times.push(time);
    this.rows.push(row);
    this.touching.push(contacts);
    if (this.count > this.capacity) {
      const drop = this.capacity >> 2;
      this.times.splice(0, drop);
      this.rows.splice(0, drop);
      this.touching.splice(0, drop);
    }
  }

  time(frame: number): number {
    return this.times[frame]!;
  }

  value(column: number, frame: number): number {
    return this.rows[frame]![column]!;
  }

  contacts(frame: number): readonly Contact[] {
    return this.touching[frame] ?? [];
  }
}

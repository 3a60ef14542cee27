// Who moves the time: the page itself for a replay; for a live run the program (live.ts).
import {endOf, momentAt, type Timeline} from './timeline';

export interface Driver {
  readonly live: boolean;
  readonly playing: boolean;
  readonly time: number;
  speed: number; // times real time; Infinity: as fast as it goes (live only)
  play(): void;
  pause(): void;
  step(frames: number): void;
  reset(): void;
  seek(time: number): void;
  tick(seconds: number): void; // wall time since the last frame
}

export class ReplayDriver implements Driver {
  readonly live = false;
  playing = false;
  time: number;
  speed = 1;

  constructor(private readonly timeline: Timeline) {
    this.time = timeline.count > 0 ? timeline.time(0) : 0;
  }

  play(): void {
    if (this.time >= endOf(this.timeline)) this.reset();
    this.playing = true;
  }

  pause(): void {
    this.playing = false;
  }

  step(frames: number): void {
    this.pause();
    const {timeline} = this;
    if (timeline.count === 0) return;
    const {frame, fraction} = momentAt(timeline, this.time);
    const from = frames < 0 && fraction > 1e-6 ? frame + 1 : frame;
    this.time = timeline.time(Math.min(Math.max(from + frames, 0), timeline.count - 1));
  }

  reset(): void {
    if (this.timeline.count > 0) this.time = this.timeline.time(0);
  }

  seek(time: number): void {
    if (this.timeline.count === 0) return;
    this.time = Math.min(Math.max(time, this.timeline.time(0)), endOf(this.timeline));
  }

  tick(seconds: number): void {
    if (!this.playing) return;
    this.seek(this.time + seconds * this.speed);
    if (this.time >= endOf(this.timeline)) this.playing = false;
  }
}

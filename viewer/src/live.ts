// The wire to `catena view`: commands out, frames in. src/serve/command.cpp and live_run.cpp are the other end.
import type {Driver} from './driver';
import type {Contact, RunInfo, SceneInfo, Triple} from './format';
import {endOf, LiveTimeline, momentAt} from './timeline';

// What a user may move while it runs.
export interface Slider {
  name: string;
  unit: string;
  low: number;
  high: number;
  value: number;
}

export interface Hello {
  type: 'hello';
  scene: SceneInfo;
  columns: string[]; // with `time` first
  controls: Slider[];
  parameters: Slider[];
  choices: Record<'method' | 'integrator' | 'stabilise' | 'solver' | 'contacts', string[]>;
}

interface Status {
  type: 'status';
  playing: boolean;
  run: RunInfo;
  used: string; // the method that runs: what auto stands for
  ghost: RunInfo | null;
  factor: number; // times real time the simulation runs at
}

export interface Events {
  status(status: Status): void;
  message(text: string): void;
}

const poseNumbers = 7;

export class Live implements Driver {
  readonly live = true;
  readonly timeline: LiveTimeline;
  ghost: Float32Array | null = null; // x y z qw qx qy qz a body
  events: Events = {status: () => {}, message: () => {}};
  playing = false;
  private scrubbed: number | null = null; // the time shown, when not the newest
  private pace = 1;

  private constructor(private readonly socket: WebSocket, readonly hello: Hello) {
    this.timeline = new LiveTimeline(hello.columns.slice(1));
    socket.addEventListener('message', (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === 'string') this.text(event.data);
      else this.frame(event.data);
    });
    socket.addEventListener('close', () => this.events.message('The program has gone; what was recorded stays.'));
  }

  // Resolves when the program has introduced the scene.
  static connect(url: string): Promise<Live> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.binaryType = 'arraybuffer';
      socket.addEventListener('error', () => reject(new Error('The program does not answer.')), {once: true});
      socket.addEventListener('message', (event: MessageEvent<string>) => resolve(new Live(socket, JSON.parse(event.data) as Hello)), {once: true});
    });
  }

  send(command: Record<string, unknown>): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  private text(data: string): void {
    const message = JSON.parse(data) as Status | {type: 'error'; message: string};
    if (message.type === 'error') {
      this.events.message(message.message);
      return;
    }
    this.playing = message.playing;
    this.events.status(message);
  }

  // u32 numbers in the row, bodies of the ghost, contacts, 0; f64 time; then f32: row, ghost, contacts.
  private frame(buffer: ArrayBuffer): void {
    const [numbers, ghosts, contacts] = new Uint32Array(buffer, 0, 3) as unknown as [number, number, number];
    const time = new Float64Array(buffer, 16, 1)[0]!;
    const row = new Float32Array(buffer, 24, numbers);
    const ghost = new Float32Array(buffer, 24 + 4 * numbers, ghosts * poseNumbers);
    const touching = new Float32Array(buffer, 24 + 4 * (numbers + ghosts * poseNumbers), contacts * 9);
    this.ghost = ghosts > 0 ? ghost : null;
    const triple = (at: number): Triple => [touching[at]!, touching[at + 1]!, touching[at + 2]!];
    const list: Contact[] = Array.from({length: contacts}, (_, i) => ({point: triple(9 * i), normal: triple(9 * i + 3), force: triple(9 * i + 6)}));
    this.timeline.push(time, row, list);
  }

  get time(): number {
    return this.scrubbed ?? endOf(this.timeline);
  }

  get speed(): number {
    return this.pace;
  }

  set speed(value: number) {
    this.pace = value;
    this.send({type: 'speed', value: Number.isFinite(value) ? value : 0});
  }

  // From where the page stands: what came after a scrubbed moment is simulated anew.
  play(): void {
    this.returnToShown();
    this.send({type: 'play'});
  }

  pause(): void {
    if (this.playing) this.send({type: 'pause'});
    this.playing = false;
  }

  step(frames: number): void {
    this.pause();
    const {timeline} = this;
    if (timeline.count === 0) return;
    const {frame} = momentAt(timeline, this.time);
    if (frame + frames < timeline.count) this.seek(timeline.time(Math.max(0, frame + frames)));
    else this.send({type: 'step'});
  }

  reset(): void {
    this.scrubbed = null;
    this.send({type: 'reset'});
  }

  seek(time: number): void {
    if (this.timeline.count === 0) return;
    const end = endOf(this.timeline);
    this.scrubbed = time >= end ? null : Math.max(time, this.timeline.time(0));
  }

  // The program goes back to the moment shown.
  returnToShown(): void {
    if (this.scrubbed !== null) this.send({type: 'seek', time: this.scrubbed});
    this.scrubbed = null;
  }

  tick(): void {
    if (this.playing) this.scrubbed = null;
  }
}

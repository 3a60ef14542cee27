// Reads the run that a replay carries. src/record/replay.cpp writes it:
//   base64( zlib( u32 length of the header, header (JSON), times f64 × frames, motion, exact columns f32, other columns, contacts ) )
import type {Contact, SceneInfo, Triple} from './format';
import type {Timeline} from './timeline';

interface Header {
  scene: SceneInfo;
  frames: number;
  poses: {name: string; quantum: number}[]; // every frame, whole numbers of quanta
  exact: string[]; // every frame, f32
  coarse: {stride: number; rows: number; columns: {name: string; low: number; quantum: number}[]};
  contacts: {point: number; force: number} | null; // quanta
}

interface Column {
  values: Float32Array | Float64Array;
  stride: number;
}

export interface Replay {
  scene: SceneInfo;
  timeline: Timeline;
}

async function inflate(text: string): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  text(length: number): string {
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  f64s(count: number): Float64Array {
    const out = new Float64Array(count);
    for (let i = 0; i < count; ++i, this.at += 8) out[i] = this.view.getFloat64(this.at, true);
    return out;
  }

  f32s(count: number): Float32Array {
    const out = new Float32Array(count);
    for (let i = 0; i < count; ++i, this.at += 4) out[i] = this.view.getFloat32(this.at, true);
    return out;
  }

  // One whole number; beyond 32 bits, hence no shifts.
  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return unzigzag(value);
      scale *= 128;
    }
  }

  i8(): number {
    return this.view.getInt8(this.at++);
  }

  // The next `length` bytes, to be read apart.
  part(length: number): Reader {
    this.at += length;
    return new Reader(this.bytes.subarray(this.at - length, this.at));
  }

  u8(): number {
    return this.bytes[this.at++]!;
  }
}

const planes = 8;

// Sequences of whole numbers as src/record/packing.h codes them, one after the other.
class Streams {
  private readonly table: Reader;
  private readonly planes: Reader[];

  constructor(reader: Reader) {
    this.table = reader.part(reader.u32());
    this.planes = Array.from({length: planes}, () => reader.part(reader.u32()));
  }

  next(count: number, low: number, quantum: number): Float64Array {
    const out = new Float64Array(count);
    if (count === 0) return out;
    const order = this.table.varint();
    const width = this.table.varint();
    const coded = new Float64Array(count);
    for (let p = 0, scale = 1; p < width; ++p, scale *= 256) {
      const plane = this.planes[p]!;
      for (let i = 1; i < count; ++i) coded[i]! += plane.u8() * scale;
    }
    const sums = new Array<number>(order).fill(0); // the value, its slope, …
    sums[0] = this.table.varint();
    out[0] = low + quantum * sums[0];
    for (let i = 1; i < count; ++i) {
      sums[order - 1]! += unzigzag(coded[i]!);
      for (let k = order - 2; k >= 0; --k) sums[k]! += sums[k + 1]!;
      out[i] = low + quantum * sums[0]!;
    }
    return out;
  }
}

class ReplayTimeline implements Timeline {
  readonly names: string[] = [];
  private readonly columns: Column[] = [];
  private touching: Contact[][] = [];

  constructor(
    private readonly times: Float64Array,
    header: Header,
    reader: Reader,
  ) {
    const motion = new Streams(reader);
    for (const {name, quantum} of header.poses) this.add(name, motion.next(this.count, 0, quantum), 1);
    for (const name of header.exact) this.add(name, reader.f32s(this.count), 1);
    const {stride, rows, columns} = header.coarse;
    const rest = new Streams(reader);
    for (const {name, low, quantum} of columns) this.add(name, rest.next(rows, low, quantum), stride);
    if (header.contacts) this.touching = readContacts(reader, this.count, header.contacts);
  }

  private add(name: string, values: Float32Array | Float64Array, stride: number): void {
    this.names.push(name);
    this.columns.push({values, stride});
  }

  get count(): number {
    return this.times.length;
  }

  time(frame: number): number {
    return this.times[frame]!;
  }

  value(column: number, frame: number): number {
    const {values, stride} = this.columns[column]!;
    if (stride === 1) return values[frame]!;
    const row = Math.floor(frame / stride);
    const a = values[row]!;
    return row + 1 < values.length ? a + (frame / stride - row) * (values[row + 1]! - a) : a;
  }

  contacts(frame: number): readonly Contact[] {
    return this.touching[frame] ?? [];
  }
}

function readContacts(reader: Reader, frames: number, quanta: {point: number; force: number}): Contact[][] {
  const triple = (next: () => number, scale: number): Triple => [next() * scale, next() * scale, next() * scale];
  const out: Contact[][] = [];
  for (let f = 0; f < frames; ++f) {
    const list: Contact[] = [];
    for (let n = reader.varint(); n > 0; --n)
      list.push({
        point: triple(() => reader.varint(), quanta.point),
        normal: triple(() => reader.i8(), 1 / 127),
        force: triple(() => reader.varint(), quanta.force),
      });
    out.push(list);
  }
  return out;
}

export async function readReplay(text: string): Promise<Replay> {
  const reader = new Reader(await inflate(text));
  const header = JSON.parse(reader.text(reader.u32())) as Header;
  const times = reader.f64s(header.frames);
  return {scene: header.scene, timeline: new ReplayTimeline(times, header, reader)};
}

// A run as a binary glTF file (.glb): a node a body, its parts below it, and an animation of all of them; for Blender and other programs.
import {type BufferGeometry, Color, type Matrix4, Quaternion, Vector3} from 'three';
import type {SceneInfo} from './format';
import type {Part} from './looks';
import {type Pose, Poses} from './poses';
import {momentAt, type Timeline} from './timeline';

const float = 5126;
const uint = 5125;
const mostFrames = 3000;

class Bin {
  readonly views: object[] = [];
  readonly accessors: object[] = [];
  private readonly chunks: ArrayBufferView[] = [];
  private length = 0;

  add(data: Float32Array | Uint32Array, width: 1 | 3 | 4, bounds: boolean, target?: number): number {
    const type = {1: 'SCALAR', 3: 'VEC3', 4: 'VEC4'}[width];
    this.views.push({buffer: 0, byteOffset: this.length, byteLength: data.byteLength, ...(target ? {target} : {})});
    const accessor: Record<string, unknown> = {bufferView: this.views.length - 1, componentType: data instanceof Float32Array ? float : uint, count: data.length / width, type};
    if (bounds) {
      const low = Array.from({length: width}, () => Infinity);
      const high = Array.from({length: width}, () => -Infinity);
      data.forEach((x, i) => {
        low[i % width] = Math.min(low[i % width]!, x);
        high[i % width] = Math.max(high[i % width]!, x);
      });
      accessor.min = low;
      accessor.max = high;
    }
    this.chunks.push(data);
    this.length += data.byteLength; // whole words
    this.accessors.push(accessor);
    return this.accessors.length - 1;
  }

  // The file: a header, the JSON padded by spaces, the numbers.
  file(json: object): Uint8Array<ArrayBuffer> {
    const text = new TextEncoder().encode(JSON.stringify({...json, buffers: [{byteLength: this.length}], bufferViews: this.views, accessors: this.accessors}));
    const padded = Math.ceil(text.length / 4) * 4;
    const out = new Uint8Array(12 + 8 + padded + 8 + this.length);
    const head = new DataView(out.buffer);
    [0x46546c67, 2, out.length, padded, 0x4e4f534a].forEach((word, i) => head.setUint32(4 * i, word, true));
    out.fill(32, 20, 20 + padded);
    out.set(text, 20);
    head.setUint32(20 + padded, this.length, true);
    head.setUint32(24 + padded, 0x004e4942, true);
    let at = 28 + padded;
    for (const chunk of this.chunks) {
      out.set(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength), at);
      at += chunk.byteLength;
    }
    return out;
  }
}

function primitive(bin: Bin, geometry: BufferGeometry): object {
  const {position, normal} = geometry.attributes;
  const index = geometry.index;
  return {
    attributes: {POSITION: bin.add(new Float32Array(position!.array), 3, true, 34962), NORMAL: bin.add(new Float32Array(normal!.array), 3, false, 34962)},
    ...(index ? {indices: bin.add(new Uint32Array(index.array), 1, false, 34963)} : {}),
  };
}

// Meshes by solid and colour: equal ones are written once.
class Meshes {
  readonly meshes: object[] = [];
  readonly materials: object[] = [];
  private readonly known = new Map<string, number>();
  private readonly shapes = new Map<string, object>();
  private readonly shades = new Map<string, number>();

  constructor(private readonly bin: Bin) {}

  of({solid}: Part, colour: Color): number {
    const shade = colour.getHexString();
    const key = `${solid.key} ${shade}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    let shape = this.shapes.get(solid.key);
    if (!shape) this.shapes.set(solid.key, (shape = primitive(this.bin, solid.make())));
    let material = this.shades.get(shade);
    if (material === undefined) {
      material = this.materials.push({pbrMetallicRoughness: {baseColorFactor: [colour.r, colour.g, colour.b, 1], roughnessFactor: 0.6, metallicFactor: 0}}) - 1;
      this.shades.set(shade, material);
    }
    this.known.set(key, this.meshes.push({primitives: [{...shape, material}]}) - 1);
    return this.meshes.length - 1;
  }
}

const trs = ({p, q, scale}: Pose): object => ({translation: p.toArray(), rotation: q.toArray(), scale: scale.toArray()});

function animation(bin: Bin, poses: Poses, timeline: Timeline, bodies: number): object[] {
  const every = Math.max(1, Math.ceil(timeline.count / mostFrames));
  const frames = Array.from({length: Math.ceil(timeline.count / every)}, (_, i) => i * every);
  const input = bin.add(Float32Array.from(frames, (frame) => timeline.time(frame) - timeline.time(0)), 1, true);
  const ways = Array.from({length: bodies}, () => ({p: new Float32Array(3 * frames.length), q: new Float32Array(4 * frames.length)}));
  const last = ways.map(() => new Quaternion());
  frames.forEach((frame, i) => {
    poses.update(momentAt(timeline, timeline.time(frame)));
    poses.poses.forEach(({p, q}, body) => {
      p.toArray(ways[body]!.p, 3 * i);
      const turn = q.clone();
      if (turn.dot(last[body]!) < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w); // the short way round
      turn.toArray(ways[body]!.q, 4 * i);
      last[body]!.copy(turn);
    });
  });
  const samplers: object[] = [];
  const channels: object[] = [];
  ways.forEach(({p, q}, body) => {
    for (const [path, output] of [['translation', bin.add(p, 3, false)], ['rotation', bin.add(q, 4, false)]] as const)
      channels.push({sampler: samplers.push({input, output}) - 1, target: {node: body, path}});
  });
  return [{name: 'run', samplers, channels}];
}

// `up`: the scene's; glTF's is y.
export function glbOf(scene: SceneInfo, timeline: Timeline, parts: readonly Part[], colour: (part: Part) => Color, up: Vector3): Uint8Array<ArrayBuffer> {
  const bin = new Bin();
  const meshes = new Meshes(bin);
  const poses = new Poses(scene, timeline);
  poses.update({frame: 0, fraction: 0});
  const nodes: Record<string, unknown>[] = scene.bodies.map(({name}, body) => ({name, ...trs(poses.poses[body]!), children: [] as number[]}));
  const ground: number[] = [];
  for (const part of parts) {
    const node = nodes.push({mesh: meshes.of(part, colour(part)), matrix: (part.local as Matrix4).toArray()}) - 1;
    (part.body < 0 ? ground : (nodes[part.body]!.children as number[])).push(node);
  }
  for (const node of nodes) if (Array.isArray(node.children) && node.children.length === 0) delete node.children;
  const animations = timeline.count > 1 ? animation(bin, poses, timeline, scene.bodies.length) : [];
  const turn = new Quaternion().setFromUnitVectors(up.clone().normalize(), new Vector3(0, 1, 0));
  const root = nodes.push({name: scene.name || 'scene', rotation: turn.toArray(), children: [...scene.bodies.keys(), ...ground]}) - 1;
  return bin.file({asset: {version: '2.0', generator: 'catena'}, scene: 0, scenes: [{nodes: [root]}], nodes, meshes: meshes.meshes, materials: meshes.materials, ...(animations.length > 0 ? {animations} : {})});
}

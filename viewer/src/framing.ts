// Where the camera stands: as near as the bodies that move allow, over the whole run. It stays where it is, or goes along with a machine that travels.
import {Quaternion, Vector3} from 'three';
import type {SceneInfo} from './format';
import {corners, cornersOf} from './looks';
import type {Poses} from './poses';
import {momentAt, type Timeline} from './timeline';

export interface View {
  right: Vector3; // unit vectors of the camera
  up: Vector3;
  forward: Vector3;
  wide: number; // tangents of the angles that are to hold the bodies: to either side,
  above: number;
  below: number;
}

export interface Shot {
  camera: Vector3;
  target: Vector3; // on the camera's axis, in the middle of what it looks at
  radius: number; // of a sphere that holds what is seen at one moment
}

interface Sample {
  time: number;
  points: Vector3[];
}

const sampleLimit = 100;
const cornerLimit = 400_000; // corners of boxes looked at, over all samples
const awayLimit = 2.5; // bodies farther from the others than so many sizes of the machine are left behind
const travelLimit = 1.1; // the camera goes along where standing still would make the machine smaller than 1/1.1
const smoothSeconds = 1;

// The bodies that move or could: all but those that are welded to the ground and stay where they were at first. All of them where none is left.
function movers(scene: SceneInfo, poses: Poses, timeline: Timeline, frames: number[], size: number): number[] {
  const first = new Vector3(), now = new Vector3(), turn = new Quaternion(), start = new Quaternion();
  const moves = (body: number): boolean => {
    poses.place(body, {frame: 0, fraction: 0}, first, start);
    return frames.some((frame) => {
      poses.place(body, {frame, fraction: 0}, now, turn);
      return now.distanceTo(first) > 1e-3 * size || Math.abs(turn.dot(start)) < 1 - 1e-6;
    });
  };
  const all = scene.bodies.map((_, body) => body);
  const held = new Set(scene.joints.filter(({kind, a, b}) => kind === 'weld' && Math.min(a, b) < 0).map(({a, b}) => Math.max(a, b)));
  const found = all.filter((body) => !held.has(body) || (timeline.count > 1 && moves(body)));
  return found.length > 0 ? found : all;
}

// Joints that hang a body on the ground at a point, which is to be seen too.
const hanging = new Set(['hinge', 'ball', 'universal', 'pin', 'distance']);
const anchorLimit = 64;

const beside = 1.8; // shapes of the ground within so many radii of the machine's middle are part of it
const largest = 1.3; // unless they are so many times as large as it is

// Where the machine hangs on the ground, and its base or frame: shapes of the ground beside it that are not much larger than it is.
function groundPoints(scene: SceneInfo, bodies: number[], machine: {centre: Vector3; radius: number}): Vector3[] {
  const shown = new Set(bodies);
  const held = scene.joints.filter(({kind, a, b}) => hanging.has(kind) && Math.min(a, b) < 0 && shown.has(Math.max(a, b)));
  const anchors = held.slice(0, anchorLimit).map(({a, anchor_a, anchor_b}) => new Vector3(...(a < 0 ? anchor_a : anchor_b)));
  const base = scene.ground.filter(({kind}) => kind !== 'plane').flatMap((shape) => {
    const points = cornersOf(shape);
    const box = boxOf(points);
    return box.radius <= largest * machine.radius && points.every((point) => point.distanceTo(machine.centre) <= beside * machine.radius) ? points : [];
  });
  return [...anchors, ...base];
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

function boxOf(points: readonly Vector3[]): {centre: Vector3; radius: number} {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  for (const point of points) {
    low.min(point);
    high.max(point);
  }
  return {centre: low.clone().add(high).multiplyScalar(0.5), radius: low.distanceTo(high) / 2};
}

// The corners of the boxes around the bodies at a frame, without bodies that have flown off.
function pointsAt(bodies: number[], boxes: Vector3[][], poses: Poses, frame: number, most: number): Vector3[] {
  const p = new Vector3(), q = new Quaternion();
  const each = bodies.map((body) => {
    poses.place(body, {frame, fraction: 0}, p, q);
    return boxes[body]!.map((corner) => corner.clone().applyQuaternion(q).add(p));
  });
  const heart = new Vector3(...([0, 1, 2] as const).map((k) => median(each.map((points) => points[0]!.getComponent(k)))));
  const near = each.filter((points) => points[0]!.distanceTo(heart) <= most);
  return (near.length > 0 ? near : each).flat();
}

// The camera position nearest to the points from which all are within the view's angles. With x, y across and z along the view, a point is inside
// the right side where x − z·wide ≤ X − Z·wide for a camera at (X, Y, Z), and so for the other sides. Two opposite sides bound Z by the points'
// extremes; the narrower pair counts, and the points are in the middle of the other.
function fit(points: Iterable<Vector3>, view: View): Vector3 {
  let [right, left, top, bottom] = [-Infinity, -Infinity, -Infinity, -Infinity];
  for (const point of points) {
    const x = point.dot(view.right), y = point.dot(view.up), z = point.dot(view.forward);
    right = Math.max(right, x - z * view.wide);
    left = Math.max(left, -x - z * view.wide);
    top = Math.max(top, y - z * view.above);
    bottom = Math.max(bottom, -y - z * view.below);
  }
  const z = Math.min(-(right + left) / (2 * view.wide), -(top + bottom) / (view.above + view.below));
  const y = (top - bottom + z * (view.above - view.below)) / 2;
  return new Vector3().addScaledVector(view.right, (right - left) / 2).addScaledVector(view.up, y).addScaledVector(view.forward, z);
}

// A shot from the fitted position, which is no nearer than the radius: a single point fits from anywhere.
function shotOf(points: Vector3[], view: View, radius: number): Shot {
  const camera = fit(points, view);
  const depth = boxOf(points).centre.sub(camera).dot(view.forward);
  const target = camera.clone().addScaledVector(view.forward, depth);
  return {camera: target.clone().addScaledVector(view.forward, -Math.max(depth, radius)), target, radius};
}

export class Framing {
  readonly centre: Vector3; // of the bodies at first
  readonly radius: number; // of the bodies at one moment, at most
  readonly travels: boolean = false;
  private readonly samples: Sample[];
  private readonly ground: Vector3[] = []; // points of the ground that are to be seen too
  private readonly path: Vector3[]; // the middle of the bodies at each sample, smooth in time

  // `only`: the bodies to frame; those that move unless it is given. `at`: at this frame only.
  constructor(scene: SceneInfo, poses: Poses, timeline: Timeline, view: View, only: number[] | null = null, at = -1) {
    const every = Math.max(1, Math.ceil(Math.max(timeline.count / sampleLimit, (timeline.count * scene.bodies.length * 8) / cornerLimit)));
    const frames = at >= 0 ? [at] : Array.from({length: timeline.count}, (_, i) => i).filter((i) => i % every === 0);
    if (at < 0 && timeline.count > 0 && frames[frames.length - 1] !== timeline.count - 1) frames.push(timeline.count - 1);
    const boxes = scene.bodies.map((_, body) => corners(scene, body));
    const all = scene.bodies.map((_, body) => body);
    const first = timeline.count > 0 && all.length > 0 ? boxOf(pointsAt(all, boxes, poses, 0, Infinity)) : {centre: new Vector3(), radius: 1};
    const bodies = only ?? movers(scene, poses, timeline, frames, first.radius);
    const start = timeline.count > 0 && bodies.length > 0 ? boxOf(pointsAt(bodies, boxes, poses, 0, Infinity)) : first;
    this.samples = bodies.length === 0 ? [] : frames.map((frame) => ({time: timeline.time(frame), points: pointsAt(bodies, boxes, poses, frame, awayLimit * start.radius)}));
    this.path = this.smooth(this.samples.map(({points}) => boxOf(points).centre));
    this.centre = start.centre;
    this.radius = Math.max(1e-3, ...this.samples.map(({points}) => boxOf(points).radius));
    const still = this.distance(view, this.standing());
    const along = this.distance(view, this.moving());
    this.travels = still > travelLimit * along;
    if (!only && !this.travels) this.ground = groundPoints(scene, bodies, {centre: this.centre, radius: this.radius});
  }

  private distance(view: View, points: Vector3[]): number {
    return points.length === 0 ? 0 : boxOf(points).centre.sub(fit(points, view)).dot(view.forward);
  }

  private standing(): Vector3[] {
    return [...this.samples.flatMap(({points}) => points), ...this.ground];
  }

  private moving(): Vector3[] {
    return this.samples.flatMap(({points}, i) => points.map((point) => point.clone().sub(this.path[i]!).add(this.path[0]!)));
  }

  // Each the mean of its neighbours in a window of time, which is smaller near the ends.
  private smooth(centres: Vector3[]): Vector3[] {
    const {samples} = this;
    return centres.map((_, i) => {
      const t = samples[i]!.time;
      const half = Math.min(smoothSeconds / 2, t - samples[0]!.time, samples[samples.length - 1]!.time - t) * (1 + 1e-9);
      const mean = new Vector3();
      let count = 0;
      samples.forEach(({time}, k) => {
        if (Math.abs(time - t) > half) return;
        mean.add(centres[k]!);
        ++count;
      });
      return mean.divideScalar(Math.max(count, 1));
    });
  }

  // The camera for the first moment; `at` moves it on.
  shot(view: View): Shot {
    const points = this.travels ? this.moving() : this.standing();
    if (points.length === 0) return {camera: view.forward.clone().multiplyScalar(-3), target: new Vector3(), radius: 1};
    return shotOf(points, view, this.travels ? this.radius : Math.max(this.radius, boxOf(points).radius));
  }

  // How far the camera has gone along at a time.
  at(time: number): Vector3 {
    const {samples, path} = this;
    if (!this.travels || samples.length < 2) return new Vector3();
    const {frame, fraction} = momentAt({count: samples.length, time: (i) => samples[i]!.time}, time);
    const here = path[frame]!.clone();
    if (fraction > 0) here.lerp(path[frame + 1]!, fraction);
    return here.sub(path[0]!);
  }
}

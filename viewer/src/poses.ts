// Poses of the bodies at a moment, and the points fixed in them.
import {Quaternion, Vector3} from 'three';
import type {LinkInfo, SceneInfo, Triple} from './format';
import {type Moment, type Timeline, valueAt} from './timeline';

export interface Pose {
  p: Vector3;
  q: Quaternion;
  scale: Vector3; // along its axes
}

interface BodyColumns {
  x: number;
  qw: number; // -1: does not turn
  scale: number[]; // of each axis; -1: keeps its size
}

const next = new Quaternion();

export class Poses {
  readonly poses: Pose[];
  private readonly columns: BodyColumns[];

  constructor(scene: SceneInfo, private readonly timeline: Timeline) {
    const index = new Map(timeline.names.map((name, i) => [name, i]));
    this.columns = scene.bodies.map(({name, stretch}) => ({
      x: index.get(`${name}.x`) ?? -1,
      qw: index.get(`${name}.qw`) ?? -1,
      scale: [0, 1, 2].map((axis) => index.get(stretch ? `${name}.form.q[${stretch[axis]}]` : `${name}.scale`) ?? -1),
    }));
    this.poses = scene.bodies.map(() => ({p: new Vector3(), q: new Quaternion(), scale: new Vector3(1, 1, 1)}));
  }

  private turn(column: number, frame: number, out: Quaternion): void {
    const t = this.timeline;
    out.set(t.value(column + 1, frame), t.value(column + 2, frame), t.value(column + 3, frame), t.value(column, frame));
  }

  position(body: number, moment: Moment, out: Vector3): Vector3 {
    const {x} = this.columns[body]!;
    const t = this.timeline;
    return x < 0 ? out : out.set(valueAt(t, x, moment), valueAt(t, x + 1, moment), valueAt(t, x + 2, moment));
  }

  // Where a body is at a moment, and how it is turned.
  place(body: number, moment: Moment, p: Vector3, q: Quaternion): void {
    this.position(body, moment, p);
    const {qw} = this.columns[body]!;
    if (qw < 0) {
      q.identity();
      return;
    }
    this.turn(qw, moment.frame, q);
    if (moment.fraction > 0) {
      this.turn(qw, moment.frame + 1, next);
      if (q.dot(next) < 0) next.set(-next.x, -next.y, -next.z, -next.w);
      q.x += moment.fraction * (next.x - q.x);
      q.y += moment.fraction * (next.y - q.y);
      q.z += moment.fraction * (next.z - q.z);
      q.w += moment.fraction * (next.w - q.w);
    }
    q.normalize();
  }

  update(moment: Moment): void {
    if (this.timeline.count === 0) return;
    this.columns.forEach(({scale}, body) => {
      const pose = this.poses[body]!;
      this.place(body, moment, pose.p, pose.q);
      scale.forEach((column, axis) => column >= 0 && pose.scale.setComponent(axis, valueAt(this.timeline, column, moment)));
    });
  }

  // The world position of a point fixed in a body, or in the ground (-1).
  world(body: number, point: Triple, out: Vector3): Vector3 {
    out.set(...point);
    if (body < 0) return out;
    const {p, q, scale} = this.poses[body]!;
    return out.multiply(scale).applyQuaternion(q).add(p);
  }

  ends(link: LinkInfo, from: Vector3, to: Vector3): void {
    this.world(link.a, link.anchor_a, from);
    this.world(link.b, link.anchor_b, to);
  }
}

// Pointers on the scene: a click chooses, a drag of a body in a live run pulls it along the plane that faces the viewer.
import {Plane, Quaternion, Vector3} from 'three';
import type {Live} from './live';
import type {Poses} from './poses';
import type {Stage} from './stage';

export interface Hit {
  body: number;
  point: Vector3;
}

export interface PointerActs {
  bodyAt(x: number, y: number): Hit | null;
  click(x: number, y: number): void;
}

const clickPixels = 5;

export class Pointer {
  pulling: {from: Vector3; to: Vector3; body: number; local: Vector3} | null = null;
  private readonly plane = new Plane();
  private start = {x: 0, y: 0};
  private sent = 0;

  constructor(private readonly stage: Stage, private readonly poses: Poses, private readonly live: Live | null, acts: PointerActs) {
    const {canvas} = stage;
    canvas.addEventListener('pointerdown', (event) => {
      this.start = {x: event.clientX, y: event.clientY};
      const hit = live && event.button === 0 ? acts.bodyAt(event.clientX, event.clientY) : null;
      if (hit) this.grasp(hit, event);
    }, {capture: true});
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => {
      this.release();
      if (Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y) < clickPixels) acts.click(event.clientX, event.clientY);
    });
    canvas.addEventListener('pointercancel', () => this.release());
  }

  private grasp(hit: Hit, event: PointerEvent): void {
    this.stage.orbit.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    const pose = this.poses.poses[hit.body]!;
    const local = hit.point.clone().sub(pose.p).applyQuaternion(new Quaternion().copy(pose.q).conjugate()).divide(pose.scale);
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new Vector3()), hit.point);
    this.pulling = {from: hit.point.clone(), to: hit.point.clone(), body: hit.body, local};
  }

  private move(event: PointerEvent): void {
    const {pulling, live} = this;
    if (!pulling || !live || Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y) < clickPixels) return;
    if (!this.stage.rayAt(event.clientX, event.clientY).ray.intersectPlane(this.plane, pulling.to)) return;
    const now = performance.now();
    if (now - this.sent < 12) return;
    this.sent = now;
    live.returnToShown();
    live.send({type: 'drag', body: pulling.body, point: pulling.local.toArray(), target: pulling.to.toArray()});
  }

  // The grasped point moves with the body.
  update(): void {
    if (this.pulling) this.poses.world(this.pulling.body, this.pulling.local.toArray(), this.pulling.from);
  }

  private release(): void {
    if (!this.pulling) return;
    this.stage.orbit.enabled = true;
    this.pulling = null;
    this.live?.send({type: 'release'});
  }
}

// What can be laid over the bodies: joints and their frames, reactions, centres of mass, inertias, trails, contacts.
import {BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, CylinderGeometry, type MeshStandardMaterial, Quaternion, type Raycaster, SphereGeometry, Vector3} from 'three';
import {Arrows, Dots, inkMaterial, Rods} from './arrows';
import {bodyColour, type Theme} from './colours';
import {Ellipsoids} from './ellipsoids';
import type {JointInfo, SceneInfo} from './format';
import {thickness} from './geometry';
import type {Poses} from './poses';
import {type Moment, momentAt, type Timeline, valueAt} from './timeline';

export const toggles = [
  ['joints', 'Joints'],
  ['frames', 'Joint frames'],
  ['reactions', 'Reactions'],
  ['centres', 'Centres of mass'],
  ['inertia', 'Inertia ellipsoids'],
  ['wire', 'Collision shapes'],
  ['trails', 'Trails'],
  ['contacts', 'Contacts'],
  ['shadows', 'Shadows'],
  ['grid', 'Ground grid'],
  ['follow', 'Follow'],
] as const;
export type Toggle = (typeof toggles)[number][0];

const pinned = new Set(['hinge', 'cylindrical', 'screw', 'pin', 'universal', 'slider']);
const dotted = new Set(['ball', 'weld']);
// Kinds whose two anchors coincide when they are closed.
const coincident = new Set(['ball', 'hinge', 'universal', 'weld', 'pin', 'planar_weld']);

const a = new Vector3();
const b = new Vector3();
const c = new Vector3();
const q = new Quaternion();
const scale = new Vector3();
const matrix = new Matrix4();

const arrowLength = 0.35; // of the machine's size: a force as large as its weight
const manyContacts = 60; // dots and arrows of more are small
const trailSeconds = 2;
const trailPoints = 90;
const trailBodies = 150;

// Lines whose ends are written anew each frame.
class Lines {
  readonly mesh: LineSegments;
  private readonly position: BufferAttribute;
  private readonly colour: BufferAttribute;
  private used = 0;

  constructor(segments: number, opacity = 1) {
    const geometry = new BufferGeometry();
    this.position = new BufferAttribute(new Float32Array(segments * 6), 3).setUsage(DynamicDrawUsage);
    this.colour = new BufferAttribute(new Float32Array(segments * 6), 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute('position', this.position);
    geometry.setAttribute('color', this.colour);
    this.mesh = new LineSegments(geometry, new LineBasicMaterial({vertexColors: true, transparent: true, opacity, depthTest: opacity < 1}));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 3;
  }

  clear(): void {
    this.used = 0;
  }

  add(from: Vector3, to: Vector3, colour: Color): void {
    if (this.used + 2 > this.position.count) return;
    for (const end of [from, to]) {
      this.position.setXYZ(this.used, end.x, end.y, end.z);
      this.colour.setXYZ(this.used++, colour.r, colour.g, colour.b);
    }
  }

  done(): void {
    this.mesh.geometry.setDrawRange(0, this.used);
    this.position.needsUpdate = true;
    this.colour.needsUpdate = true;
  }
}

const axisColours = [new Color('#ff4d4f'), new Color('#52c41a'), new Color('#4096ff')];
const gapColour = new Color('#ff2d95');

export class Overlays {
  readonly group = new Group();
  private readonly state = new Map<Toggle, boolean>();
  private readonly pins: InstancedMesh;
  private readonly balls: InstancedMesh;
  private readonly pinJoints: number[] = [];
  private readonly ballJoints: number[] = [];
  private readonly links: Rods;
  private readonly rods: JointInfo[];
  private readonly frames: Lines;
  private readonly trails: Lines;
  private readonly forces: Arrows;
  private readonly pushes: Arrows;
  private readonly touches: Dots;
  private readonly centres: Dots;
  private readonly ellipsoids: Ellipsoids;
  private readonly ink: MeshStandardMaterial;
  private readonly reaction: number[]; // column of joint.NAME.fx
  private readonly reference: number; // N: an arrow of a fixed length
  private readonly trailed: number[];
  private readonly radii: number[]; // of the joints' marks

  constructor(private readonly scene: SceneInfo, private readonly timeline: Timeline, private readonly poses: Poses, private readonly size: number, hidden: ReadonlySet<JointInfo>) {
    const {joints, bodies} = scene;
    joints.forEach((joint, j) => {
      if (hidden.has(joint)) return; // of a cloth or a cable
      const {kind} = joint;
      if (pinned.has(kind)) this.pinJoints.push(j);
      if (dotted.has(kind)) this.ballJoints.push(j);
    });
    this.radii = joints.map((joint) => this.markRadius(joint));
    this.ink = inkMaterial('#888888');
    this.pins = new InstancedMesh(new CylinderGeometry(1, 1, 1, 20).rotateX(Math.PI / 2), this.ink, Math.max(1, this.pinJoints.length));
    this.balls = new InstancedMesh(new SphereGeometry(1, 20, 14), this.ink, Math.max(1, this.ballJoints.length));
    this.pins.count = this.pinJoints.length;
    this.balls.count = this.ballJoints.length;
    this.rods = joints.filter((joint) => joint.kind === 'distance' && !hidden.has(joint));
    const thinner = this.rods.length > 200 ? 0.4 : 1;
    this.links = new Rods(Math.max(1, this.rods.length + scene.springs.length), 0.003 * size * thinner, this.ink);
    this.frames = new Lines(Math.max(1, joints.length * 4));
    this.trails = new Lines(Math.min(bodies.length, trailBodies) * trailPoints, 0.85);
    this.forces = new Arrows(Math.max(1, joints.length), 0.004 * size, '#ff9f1c');
    this.pushes = new Arrows(4000, 0.004 * size, '#2ec4b6');
    this.touches = new Dots(4000, 0.006 * size, '#ff3366');
    this.centres = new Dots(Math.max(1, bodies.length), 0.008 * size, '#ffd60a');
    this.ellipsoids = new Ellipsoids(bodies);
    for (const mesh of [this.pins, this.balls, this.links.mesh]) {
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.castShadow = true;
    }
    this.group.add(this.pins, this.balls, this.links.mesh, this.frames.mesh, this.trails.mesh, this.forces.group, this.pushes.group, this.touches.mesh, this.centres.mesh, this.ellipsoids.mesh);
    const index = new Map(timeline.names.map((name, i) => [name, i]));
    this.reaction = joints.map(({name}) => index.get(`joint.${name}.fx`) ?? -1);
    const weight = bodies.reduce((sum, {mass}) => sum + mass, 0) * Math.hypot(...scene.gravity);
    this.reference = weight > 0 ? weight : 1;
    const every = Math.max(1, Math.ceil(bodies.length / trailBodies));
    this.trailed = bodies.map((_, i) => i).filter((i) => i % every === 0);
  }

  // How long the arrow of a force is drawn.
  get scale(): {force: number; length: number} {
    return {force: this.reference, length: arrowLength * this.size};
  }

  on(toggle: Toggle): boolean {
    return this.state.get(toggle) ?? false;
  }

  set(toggle: Toggle, on: boolean): void {
    this.state.set(toggle, on);
  }

  theme(theme: Theme): void {
    this.ink.color.set(theme.ink);
  }

  update(moment: Moment, time: number): void {
    const layers = [
      [this.on('joints'), [this.pins, this.balls], () => this.markers()],
      [true, [this.links.mesh], () => this.drawLinks()],
      [this.on('frames'), [this.frames.mesh], () => this.drawFrames()],
      [this.on('reactions'), [this.forces.group], () => this.drawReactions(moment)],
      [this.on('centres'), [this.centres.mesh], () => this.drawCentres()],
      [this.on('inertia'), [this.ellipsoids.mesh], () => this.ellipsoids.place(this.poses.poses)],
      [this.on('trails'), [this.trails.mesh], () => this.drawTrails(time)],
      [this.on('contacts'), [this.pushes.group, this.touches.mesh], () => this.drawContacts(moment)],
    ] as const;
    for (const [on, objects, draw] of layers) {
      for (const object of objects) object.visible = on;
      if (on) draw();
    }
  }

  // The joint whose mark is under the ray.
  pick(ray: Raycaster): {joint: number; distance: number} | null {
    if (!this.on('joints')) return null;
    let best: {joint: number; distance: number} | null = null;
    for (const [mesh, joints] of [[this.pins, this.pinJoints], [this.balls, this.ballJoints]] as const) {
      mesh.computeBoundingSphere();
      const [hit] = ray.intersectObject(mesh, false);
      if (hit?.instanceId === undefined || (best && best.distance <= hit.distance)) continue;
      best = {joint: joints[hit.instanceId]!, distance: hit.distance};
    }
    return best;
  }

  private turnOf(joint: JointInfo): Quaternion {
    const [w, x, y, z] = joint.frame_b;
    q.set(x, y, z, w);
    if (joint.b >= 0) q.premultiply(this.poses.poses[joint.b]!.q);
    return q;
  }

  // Marks are no thicker than the bodies they join.
  private markRadius({a: first, b: second}: JointInfo): number {
    const usual = (this.scene.joints.length > 60 ? 0.004 : 0.009) * this.size;
    const shapes = [first, second].flatMap((body) => (body < 0 ? [] : this.scene.bodies[body]!.shapes));
    return Math.min(usual, 0.85 * Math.min(...shapes.map(thickness)));
  }

  private markers(): void {
    this.pinJoints.forEach((j, i) => {
      const joint = this.scene.joints[j]!;
      const r = this.radii[j]!;
      this.poses.world(joint.b, joint.anchor_b, a);
      this.pins.setMatrixAt(i, matrix.compose(a, this.turnOf(joint), scale.set(r, r, 4.5 * r)));
    });
    this.ballJoints.forEach((j, i) => {
      const joint = this.scene.joints[j]!;
      const r = this.radii[j]!;
      this.poses.world(joint.b, joint.anchor_b, a);
      this.balls.setMatrixAt(i, matrix.compose(a, q.identity(), scale.setScalar(1.25 * r)));
    });
    this.pins.instanceMatrix.needsUpdate = true;
    this.balls.instanceMatrix.needsUpdate = true;
  }

  private drawLinks(): void {
    this.links.clear();
    for (const link of [...this.rods, ...this.scene.springs]) {
      this.poses.ends(link, a, b);
      this.links.add(a, b);
    }
    this.links.done();
  }

  private drawFrames(): void {
    this.frames.clear();
    const length = (this.scene.joints.length > 60 ? 0.03 : 0.07) * this.size;
    for (const joint of this.scene.joints) {
      this.poses.ends(joint, a, b);
      if (coincident.has(joint.kind)) this.frames.add(a, b, gapColour);
      this.turnOf(joint);
      for (let k = 0; k < 3; ++k) {
        c.set(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0).applyQuaternion(q).multiplyScalar(length).add(b);
        this.frames.add(b, c, axisColours[k]!);
      }
    }
    this.frames.done();
  }

  private arrow(force: Vector3): Vector3 {
    const length = arrowLength * this.size * Math.min(force.length() / this.reference, 1.5);
    return force.setLength(Math.max(length, 1e-12));
  }

  private drawReactions(moment: Moment): void {
    this.forces.clear();
    this.scene.joints.forEach((joint, j) => {
      const column = this.reaction[j]!;
      if (column < 0) return;
      this.poses.world(joint.b, joint.anchor_b, a);
      b.set(valueAt(this.timeline, column, moment), valueAt(this.timeline, column + 1, moment), valueAt(this.timeline, column + 2, moment));
      this.forces.add(a, this.arrow(b));
    });
    this.forces.done();
  }

  private drawCentres(): void {
    this.centres.clear();
    for (const {p} of this.poses.poses) this.centres.add(p);
    this.centres.done();
  }

  private drawTrails(time: number): void {
    this.trails.clear();
    const {timeline, poses} = this;
    if (timeline.count > 0) {
      const begin = Math.max(timeline.time(0), time - trailSeconds);
      const moments = Array.from({length: trailPoints + 1}, (_, k) => momentAt(timeline, begin + ((time - begin) * k) / trailPoints));
      for (const body of this.trailed) {
        const colour = bodyColour(body, this.scene.bodies.length);
        poses.position(body, moments[0]!, a);
        for (let k = 1; k <= trailPoints; ++k) {
          poses.position(body, moments[k]!, b);
          this.trails.add(a, b, colour);
          a.copy(b);
        }
      }
    }
    this.trails.done();
  }

  private drawContacts({frame, fraction}: Moment): void {
    this.pushes.clear();
    this.touches.clear();
    const list = this.timeline.count > 0 ? this.timeline.contacts(fraction > 0.5 ? frame + 1 : frame) : [];
    this.touches.small(list.length > manyContacts);
    this.pushes.thin(list.length > manyContacts);
    for (const {point, force} of list) {
      this.touches.add(a.set(...point));
      this.pushes.add(a, this.arrow(b.set(...force)));
    }
    this.pushes.done();
    this.touches.done();
  }
}

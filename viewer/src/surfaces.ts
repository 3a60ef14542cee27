// Cloth and cables on the stage: surfaces whose points follow the bodies.
import {BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, DoubleSide, DynamicDrawUsage, FrontSide, Group, Mesh, MeshStandardMaterial, type Raycaster, Vector3} from 'three';
import type {JointInfo} from './format';
import type {Poses} from './poses';
import type {Cable, Soft} from './soft';

const around = 8; // points of a tube's section
const perLink = 3; // sections a link

export interface Picked {
  body: number;
  point: Vector3;
  distance: number;
}

function meshOf(points: number, index: number[], doubleSided: boolean): Mesh<BufferGeometry, MeshStandardMaterial> {
  const geometry = new BufferGeometry();
  for (const name of ['position', 'normal', 'color']) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * points), 3).setUsage(DynamicDrawUsage));
  geometry.setIndex(index);
  const mesh = new Mesh(geometry, new MeshStandardMaterial({vertexColors: true, roughness: 0.75, side: doubleSided ? DoubleSide : FrontSide}));
  mesh.frustumCulled = false;
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  return mesh;
}

const attribute = (mesh: Mesh, name: string): BufferAttribute => mesh.geometry.getAttribute(name) as BufferAttribute;

class Tube {
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  private readonly sections: number;
  private readonly line: Vector3[] = [];
  private readonly across = new Vector3();

  constructor(readonly cable: Cable, private readonly radius: number, private readonly poses: Poses) {
    this.sections = perLink * cable.bodies.length + 1;
    const index: number[] = [];
    for (let s = 0; s + 1 < this.sections; ++s)
      for (let k = 0; k < around; ++k) {
        const [a, b] = [s * around + k, s * around + ((k + 1) % around)];
        index.push(a, b, a + around, b, b + around, a + around);
      }
    this.mesh = meshOf(this.sections * around, index, false);
  }

  bodyOf(section: number): number {
    const {bodies} = this.cable;
    return bodies[Math.min(bodies.length - 1, Math.floor(section / perLink))]!;
  }

  private corner(joint: JointInfo, body: number): Vector3 {
    const [owner, anchor] = joint.a === body ? ([joint.a, joint.anchor_a] as const) : ([joint.b, joint.anchor_b] as const);
    return this.poses.world(owner, anchor, new Vector3());
  }

  // The ends of the links in turn; of a free end, the point opposite to the joint.
  private points(): Vector3[] {
    const {bodies, joints, begin, end} = this.cable;
    const out: Vector3[] = [];
    const add = (point: Vector3): void => {
      if (out.length === 0 || out[out.length - 1]!.distanceTo(point) > 0.02 * this.radius) out.push(point);
    };
    const tip = (body: number, joint: JointInfo): Vector3 => this.poses.poses[body]!.p.clone().multiplyScalar(2).sub(this.corner(joint, body));
    const outer = (joint: JointInfo, body: number): Vector3 => {
      const other = joint.a === body ? joint.b : joint.a;
      return this.poses.world(other, joint.a === body ? joint.anchor_b : joint.anchor_a, new Vector3());
    };
    add(begin ? outer(begin, bodies[0]!) : tip(bodies[0]!, joints[0]!));
    joints.forEach((joint, i) => {
      add(this.corner(joint, bodies[i]!));
      add(this.corner(joint, bodies[i + 1]!));
    });
    const last = bodies[bodies.length - 1]!;
    add(end ? outer(end, last) : tip(last, joints[joints.length - 1]!));
    return out;
  }

  place(): void {
    const curve = new CatmullRomCurve3(this.points(), false, 'centripetal');
    const position = attribute(this.mesh, 'position');
    const normal = attribute(this.mesh, 'normal');
    const tangent = new Vector3();
    const beside = new Vector3();
    const out = new Vector3();
    for (let s = 0; s < this.sections; ++s) {
      const at = (this.line[s] ??= new Vector3());
      curve.getPoint(s / (this.sections - 1), at);
      curve.getTangent(s / (this.sections - 1), tangent);
      // Carried along the curve, so that the tube does not twist.
      if (s === 0) this.across.set(tangent.y, tangent.z, tangent.x).cross(tangent);
      this.across.addScaledVector(tangent, -this.across.dot(tangent));
      if (this.across.lengthSq() < 1e-12) this.across.set(1, 0, 0).cross(tangent);
      this.across.normalize();
      beside.crossVectors(tangent, this.across);
      for (let k = 0; k < around; ++k) {
        const angle = (2 * Math.PI * k) / around;
        out.copy(this.across).multiplyScalar(Math.cos(angle)).addScaledVector(beside, Math.sin(angle));
        normal.setXYZ(s * around + k, out.x, out.y, out.z);
        position.setXYZ(s * around + k, at.x + this.radius * out.x, at.y + this.radius * out.y, at.z + this.radius * out.z);
      }
    }
    position.needsUpdate = true;
    normal.needsUpdate = true;
  }
}

export class Surfaces {
  readonly group = new Group();
  private readonly tubes: Tube[];
  private readonly cloth: Mesh<BufferGeometry, MeshStandardMaterial> | null = null;
  private readonly corners: number[]; // bodies of the cloth's points

  constructor(soft: Soft, private readonly poses: Poses, size: number, private readonly colour: (body: number) => Color) {
    this.tubes = soft.cables.map((cable) => new Tube(cable, Math.max(cable.radius, 0.009 * size), poses));
    for (const {mesh} of this.tubes) this.group.add(mesh);
    this.corners = [...new Set(soft.faces.flat())];
    if (this.corners.length > 0) {
      const place = new Map(this.corners.map((body, i) => [body, i]));
      this.cloth = meshOf(this.corners.length, soft.faces.flat().map((body) => place.get(body)!), true);
      this.group.add(this.cloth);
    }
    this.paint(-1);
  }

  paint(chosen: number): void {
    const tint = (body: number): Color => (body === chosen ? this.colour(body).clone().lerp(new Color('#ffffff'), 0.45) : this.colour(body));
    for (const tube of this.tubes) {
      const colours = attribute(tube.mesh, 'color');
      for (let i = 0; i < colours.count; ++i) tint(tube.bodyOf(Math.floor(i / around))).toArray(colours.array as Float32Array, 3 * i);
      colours.needsUpdate = true;
    }
    if (!this.cloth) return;
    const colours = attribute(this.cloth, 'color');
    this.corners.forEach((body, i) => tint(body).toArray(colours.array as Float32Array, 3 * i));
    colours.needsUpdate = true;
  }

  place(): void {
    for (const tube of this.tubes) tube.place();
    if (!this.cloth) return;
    const position = attribute(this.cloth, 'position');
    this.corners.forEach((body, i) => {
      const {p} = this.poses.poses[body]!;
      position.setXYZ(i, p.x, p.y, p.z);
    });
    position.needsUpdate = true;
    this.cloth.geometry.computeVertexNormals();
  }

  // The nearest body under the ray.
  pick(ray: Raycaster): Picked | null {
    let best: Picked | null = null;
    const take = (mesh: Mesh, bodyOf: (vertex: number) => number): void => {
      mesh.geometry.computeBoundingSphere();
      const [hit] = ray.intersectObject(mesh, false);
      if (!hit?.face || (best && best.distance <= hit.distance)) return;
      best = {body: bodyOf(hit.face.a), point: hit.point, distance: hit.distance};
    };
    for (const tube of this.tubes) take(tube.mesh, (vertex) => tube.bodyOf(Math.floor(vertex / around)));
    if (this.cloth) take(this.cloth, (vertex) => this.corners[vertex]!);
    return best;
  }
}

// Inertia ellipsoids: the solid ellipsoid of uniform density that has a body's mass and inertia.
import {DynamicDrawUsage, InstancedMesh, Matrix4, MeshStandardMaterial, SphereGeometry, Vector3} from 'three';
import type {BodyInfo} from './format';
import type {Pose} from './poses';

// Principal axes of a symmetric 3x3 matrix by Jacobi's rotations: columns of `axes`, values in `values`.
function principal(m: number[][]): {values: number[]; axes: number[][]} {
  const a = m.map((row) => [...row]);
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 16; ++sweep)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]] as const) {
      if (Math.abs(a[p]![q]!) < 1e-300) continue;
      const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
      const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1);
      const s = t * c;
      for (let k = 0; k < 3; ++k) [a[k]![p], a[k]![q]] = [c * a[k]![p]! - s * a[k]![q]!, s * a[k]![p]! + c * a[k]![q]!];
      for (let k = 0; k < 3; ++k) [a[p]![k], a[q]![k]] = [c * a[p]![k]! - s * a[q]![k]!, s * a[p]![k]! + c * a[q]![k]!];
      for (let k = 0; k < 3; ++k) [v[k]![p], v[k]![q]] = [c * v[k]![p]! - s * v[k]![q]!, s * v[k]![p]! + c * v[k]![q]!];
    }
  return {values: [a[0]![0]!, a[1]![1]!, a[2]![2]!], axes: v};
}

function ellipsoidOf({mass, inertia}: BodyInfo): Matrix4 {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const {values, axes} = principal([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
  const sum = values.reduce((total, x) => total + x, 0);
  // I_a = m (b² + c²) / 5, so a² = 5 (sum / 2 − I_a) / m.
  const semi = values.map((x) => Math.sqrt(Math.max(1e-12, (5 * (sum / 2 - x)) / mass)));
  const column = (j: number): Vector3 => new Vector3(axes[0]![j]!, axes[1]![j]!, axes[2]![j]!).multiplyScalar(semi[j]!);
  return new Matrix4().makeBasis(column(0), column(1), column(2));
}

export class Ellipsoids {
  readonly mesh: InstancedMesh;
  private readonly members: {body: number; local: Matrix4}[] = [];

  constructor(bodies: readonly BodyInfo[]) {
    bodies.forEach((info, body) => {
      if (info.kind === 'rigid' || info.kind === 'scalable') this.members.push({body, local: ellipsoidOf(info)});
    });
    const material = new MeshStandardMaterial({color: '#b388ff', transparent: true, opacity: 0.38, depthWrite: false, roughness: 0.6});
    this.mesh = new InstancedMesh(new SphereGeometry(1, 24, 16), material, Math.max(1, this.members.length));
    this.mesh.count = this.members.length;
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
  }

  place(poses: readonly Pose[]): void {
    const body = new Matrix4();
    this.members.forEach(({body: index, local}, i) => {
      const pose = poses[index]!;
      body.compose(pose.p, pose.q, pose.scale);
      this.mesh.setMatrixAt(i, body.multiply(local));
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

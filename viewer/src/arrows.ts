// Instanced marks that move every frame: arrows, rods and dots.
import {type BufferGeometry, type ColorRepresentation, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, type Material, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3} from 'three';

const zAxis = new Vector3(0, 0, 1);
const along = new Vector3();
const centre = new Vector3();
const turn = new Quaternion();
const scale = new Vector3();
const matrix = new Matrix4();

function instanced(geometry: BufferGeometry, material: Material, capacity: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, capacity);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.frustumCulled = false;
  mesh.count = 0;
  return mesh;
}

// Cylinders between pairs of points.
export class Rods {
  readonly mesh: InstancedMesh;

  constructor(private readonly capacity: number, private readonly radius: number, material: Material) {
    this.mesh = instanced(new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2), material, capacity);
  }

  clear(): void {
    this.mesh.count = 0;
  }

  add(from: Vector3, to: Vector3): void {
    if (this.mesh.count >= this.capacity) return;
    along.subVectors(to, from);
    const length = along.length();
    turn.setFromUnitVectors(zAxis, length > 0 ? along.divideScalar(length) : zAxis);
    centre.addVectors(from, to).multiplyScalar(0.5);
    this.mesh.setMatrixAt(this.mesh.count++, matrix.compose(centre, turn, scale.set(this.radius, this.radius, length)));
  }

  done(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

export class Arrows {
  readonly group = new Group();
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private radius: number;

  constructor(private readonly capacity: number, private readonly usual: number, colour: ColorRepresentation) {
    this.radius = usual;
    const material = new MeshBasicMaterial({color: colour, depthTest: false, transparent: true, opacity: 0.92});
    this.shafts = instanced(new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2), material, capacity);
    this.heads = instanced(new ConeGeometry(1, 1, 14).rotateX(Math.PI / 2), material, capacity);
    this.group.add(this.shafts, this.heads);
    this.group.renderOrder = 5;
    this.shafts.renderOrder = 5;
    this.heads.renderOrder = 5;
  }

  // Thin arrows, where there are many.
  thin(on: boolean): void {
    this.radius = (on ? 0.5 : 1) * this.usual;
  }

  clear(): void {
    this.shafts.count = 0;
    this.heads.count = 0;
  }

  add(from: Vector3, vector: Vector3): void {
    const length = vector.length();
    if (this.shafts.count >= this.capacity || length < 2 * this.radius) return;
    const head = Math.min(6 * this.radius, 0.5 * length);
    along.copy(vector).divideScalar(length);
    turn.setFromUnitVectors(zAxis, along);
    centre.copy(from).addScaledVector(along, (length - head) / 2);
    this.shafts.setMatrixAt(this.shafts.count++, matrix.compose(centre, turn, scale.set(this.radius, this.radius, length - head)));
    centre.copy(from).addScaledVector(along, length - head / 2);
    this.heads.setMatrixAt(this.heads.count++, matrix.compose(centre, turn, scale.set(2.4 * this.radius, 2.4 * this.radius, head)));
  }

  done(): void {
    this.shafts.instanceMatrix.needsUpdate = true;
    this.heads.instanceMatrix.needsUpdate = true;
  }
}

export class Dots {
  readonly mesh: InstancedMesh;
  private factor = 1;

  constructor(private readonly capacity: number, private readonly radius: number, colour: ColorRepresentation) {
    this.mesh = instanced(new SphereGeometry(1, 14, 10), new MeshBasicMaterial({color: colour, depthTest: false, transparent: true}), capacity);
    this.mesh.renderOrder = 4;
  }

  clear(): void {
    this.mesh.count = 0;
  }

  // Small dots are hidden by what is before them; the others are seen through everything.
  small(on: boolean): void {
    this.factor = on ? 0.5 : 1;
    (this.mesh.material as MeshBasicMaterial).depthTest = on;
  }

  add(at: Vector3): void {
    if (this.mesh.count >= this.capacity) return;
    this.mesh.setMatrixAt(this.mesh.count++, matrix.compose(at, turn.identity(), scale.setScalar(this.factor * this.radius)));
  }

  done(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

export const inkMaterial = (colour: ColorRepresentation): MeshStandardMaterial => new MeshStandardMaterial({color: colour, roughness: 0.5, metalness: 0.4});

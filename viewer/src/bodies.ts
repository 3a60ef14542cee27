// Bodies on the stage: one instanced mesh a geometry, however many bodies share it.
import {
  type BufferGeometry, Color, DynamicDrawUsage, Group, type Intersection, InstancedMesh, Matrix4, MeshBasicMaterial, MeshStandardMaterial, type Raycaster, type Vector3,
} from 'three';
import type {Part} from './looks';
import {sectors, stripes} from './textures';
import type {Pose} from './poses';

interface Batch {
  mesh: InstancedMesh;
  wire: InstancedMesh;
  parts: Part[];
}

const instance = new Matrix4();

export interface Look {
  colour: (body: number) => Color;
  ghost?: boolean;
}

const ghostMaterial = (): MeshStandardMaterial => new MeshStandardMaterial({transparent: true, opacity: 0.3, depthWrite: false, roughness: 1});

// By groups of the geometry. Round things have a pattern, so that one sees them turn.
function materialsOf(key: string): MeshStandardMaterial[] {
  const plain = {roughness: 0.42, metalness: 0.08};
  if (key === 'sphere') return [new MeshStandardMaterial({...plain, map: stripes(4)})];
  if (key === 'cylinder') return [stripes(8), sectors(8), sectors(8)].map((map) => new MeshStandardMaterial({...plain, map}));
  return [new MeshStandardMaterial(plain)];
}

export class Bodies {
  readonly group = new Group();
  private readonly batches: Batch[] = [];
  private readonly matrices: Matrix4[] = []; // body to world

  constructor(parts: Part[], private readonly look: Look) {
    const byKey = new Map<string, Part[]>();
    for (const part of [...parts].sort((a, b) => Number(b.collide) - Number(a.collide))) {
      const list = byKey.get(part.solid.key);
      if (list) list.push(part);
      else byKey.set(part.solid.key, [part]);
    }
    for (const group of byKey.values()) this.batches.push(this.batch(group[0]!.solid.make(), group));
    this.paint(-1);
  }

  private batch(geometry: BufferGeometry, parts: Part[]): Batch {
    const ghost = this.look.ghost ?? false;
    const materials = ghost ? [ghostMaterial()] : materialsOf(parts[0]!.solid.key);
    if (geometry.groups.length === 0) geometry.addGroup(0, Infinity, 0);
    for (const group of geometry.groups) group.materialIndex = Math.min(group.materialIndex ?? 0, materials.length - 1);
    const mesh = new InstancedMesh(geometry, materials, parts.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.castShadow = !ghost;
    mesh.receiveShadow = !ghost;
    mesh.frustumCulled = false;
    const wire = new InstancedMesh(geometry, new MeshBasicMaterial({wireframe: true, color: '#00d1b2', transparent: true, opacity: 0.55}), parts.length);
    wire.instanceMatrix = mesh.instanceMatrix;
    wire.count = parts.filter(({collide}) => collide).length; // they come first
    wire.frustumCulled = false;
    wire.visible = false;
    this.group.add(mesh, wire);
    return {mesh, wire, parts};
  }

  // Colours by body; the chosen one glows.
  paint(chosen: number): void {
    const colour = new Color();
    for (const {mesh, parts} of this.batches) {
      parts.forEach(({body, colour: own}, i) => {
        colour.copy(own && !this.look.ghost ? own : this.look.colour(body));
        if (body >= 0 && body === chosen) colour.lerp(new Color('#ffffff'), 0.45);
        mesh.setColorAt(i, colour);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  place(poses: readonly Pose[]): void {
    poses.forEach(({p, q, scale}, body) => (this.matrices[body] ??= new Matrix4()).compose(p, q, scale));
    for (const {mesh, parts} of this.batches) {
      parts.forEach((part, i) => {
        mesh.setMatrixAt(i, part.body < 0 ? part.local : instance.multiplyMatrices(this.matrices[part.body]!, part.local));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  showWire(on: boolean): void {
    for (const {wire, mesh} of this.batches) {
      wire.visible = on;
      for (const material of mesh.material as MeshStandardMaterial[]) {
        material.transparent = on || (this.look.ghost ?? false);
        if (!this.look.ghost) material.opacity = on ? 0.25 : 1;
        material.needsUpdate = true;
      }
    }
  }

  // The nearest body under the ray.
  pick(ray: Raycaster): {body: number; point: Vector3; distance: number} | null {
    let best: Intersection | null = null;
    let body = -1;
    for (const {mesh, parts} of this.batches) {
      mesh.computeBoundingSphere();
      const [hit] = ray.intersectObject(mesh, false);
      if (!hit || hit.instanceId === undefined || (best && best.distance <= hit.distance)) continue;
      best = hit;
      body = parts[hit.instanceId]!.body;
    }
    return best && body >= 0 ? {body, point: best.point, distance: best.distance} : null;
  }
}

// Shapes as geometries that many instances share: a unit solid and the scale that makes it the shape.
import {BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, SphereGeometry, Vector3} from 'three';
import {ConvexGeometry} from 'three/examples/jsm/geometries/ConvexGeometry.js';
import type {ShapeInfo} from './format';

export interface Solid {
  key: string; // equal keys share a geometry
  make: () => BufferGeometry;
  scale: Vector3;
}

const alongZ = (geometry: BufferGeometry): BufferGeometry => geometry.rotateX(Math.PI / 2);

export function sphere(radius: number): Solid {
  return {key: 'sphere', make: () => new SphereGeometry(1, 32, 20), scale: new Vector3(radius, radius, radius)};
}

export function cylinder(radius: number, length: number): Solid {
  return {key: 'cylinder', make: () => alongZ(new CylinderGeometry(1, 1, 1, 28)), scale: new Vector3(radius, radius, length)};
}

// Capsules of the same proportions share a geometry.
export function capsule(radius: number, length: number): Solid {
  const slender = Number((length / radius).toPrecision(3));
  return {
    key: `capsule ${slender}`,
    make: () => alongZ(new CapsuleGeometry(1, slender, 8, 20)),
    scale: new Vector3(radius, radius, radius),
  };
}

function mesh(shape: ShapeInfo): BufferGeometry {
  const vertices = new Float32Array(shape.vertices ?? []);
  if (shape.kind === 'hull') {
    const points: Vector3[] = [];
    for (let i = 0; i < vertices.length; i += 3) points.push(new Vector3().fromArray(vertices, i));
    return new ConvexGeometry(points);
  }
  const indexed = new BufferGeometry();
  indexed.setAttribute('position', new BufferAttribute(vertices, 3));
  indexed.setIndex(shape.triangles ?? []);
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

let meshes = 0;

// Planes belong to the floor and points to nobody: both give null.
export function solidOf(shape: ShapeInfo): Solid | null {
  const one = new Vector3(1, 1, 1);
  switch (shape.kind) {
    case 'sphere': return sphere(shape.radius!);
    case 'box': return {key: 'box', make: () => new BoxGeometry(1, 1, 1), scale: new Vector3(...shape.sides!)};
    case 'capsule': return capsule(shape.radius!, shape.length!);
    case 'cylinder': return cylinder(shape.radius!, shape.length!);
    case 'hull':
    case 'mesh': return {key: `mesh ${meshes++}`, make: () => mesh(shape), scale: one};
    case 'point':
    case 'plane': return null;
  }
}

// How far the shape reaches from its own origin.
export function reach(shape: ShapeInfo): number {
  switch (shape.kind) {
    case 'sphere': return shape.radius!;
    case 'box': return Math.hypot(...shape.sides!) / 2;
    case 'capsule': return shape.radius! + shape.length! / 2;
    case 'cylinder': return Math.hypot(shape.radius!, shape.length! / 2);
    case 'hull':
    case 'mesh': {
      let most = 0;
      const v = shape.vertices ?? [];
      for (let i = 0; i + 2 < v.length; i += 3) most = Math.max(most, Math.hypot(v[i]!, v[i + 1]!, v[i + 2]!));
      return most;
    }
    case 'point':
    case 'plane': return 0;
  }
}

// Shapes as geometries that many instances share: a unit solid and the scale that makes it the shape.
import {BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, SphereGeometry, Vector3} from 'three';
import {ConvexGeometry} from 'three/examples/jsm/geometries/ConvexGeometry.js';
import type {ShapeInfo} from './format';

export interface Solid {
  key: string; // equal keys share a geometry
  make: () => BufferGeometry;
  scale: Vector3;
  shift?: number; // along the shape's z
}

const alongZ = (geometry: BufferGeometry): BufferGeometry => geometry.rotateX(Math.PI / 2);

export function sphere(radius: number): Solid {
  return {key: 'sphere', make: () => new SphereGeometry(1, 28, 18), scale: new Vector3(radius, radius, radius)};
}

export function cylinder(radius: number, length: number): Solid {
  return {key: 'cylinder', make: () => alongZ(new CylinderGeometry(1, 1, 1, 28)), scale: new Vector3(radius, radius, length)};
}

// A tube and two caps, so that capsules of any proportions share three geometries.
export function capsule(radius: number, length: number): Solid[] {
  const half = (up: boolean) => (): BufferGeometry => alongZ(new SphereGeometry(1, 24, 7, 0, 2 * Math.PI, up ? 0 : Math.PI / 2, Math.PI / 2));
  const cap = new Vector3(radius, radius, radius);
  return [
    {key: 'tube', make: () => alongZ(new CylinderGeometry(1, 1, 1, 24, 1, true)), scale: new Vector3(radius, radius, length)},
    {key: 'cap', make: half(true), scale: cap, shift: length / 2},
    {key: 'base', make: half(false), scale: cap, shift: -length / 2},
  ];
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

// What to draw for a shape. Planes belong to the floor and points to nobody.
export function solidsOf(shape: ShapeInfo): Solid[] {
  switch (shape.kind) {
    case 'sphere': return [sphere(shape.radius!)];
    case 'box': return [{key: 'box', make: () => new BoxGeometry(1, 1, 1), scale: new Vector3(...shape.sides!)}];
    case 'capsule': return capsule(shape.radius!, shape.length!);
    case 'cylinder': return [cylinder(shape.radius!, shape.length!)];
    case 'hull':
    case 'mesh': return [{key: `mesh ${meshes++}`, make: () => mesh(shape), scale: new Vector3(1, 1, 1)}];
    case 'point':
    case 'plane': return [];
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

// Half the smallest dimension of a solid shape.
export function thickness(shape: ShapeInfo): number {
  switch (shape.kind) {
    case 'sphere': return shape.radius!;
    case 'box': return Math.min(...shape.sides!) / 2;
    case 'capsule': return shape.radius!;
    case 'cylinder': return Math.min(shape.radius!, shape.length! / 2);
    default: return Infinity;
  }
}

// Points whose box, in the shape's coordinates, holds it.
export function shapeCorners(shape: ShapeInfo): Vector3[] {
  const half = halfSides(shape);
  if (half) return [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => new Vector3(x, y, z).multiply(half))));
  const v = shape.vertices ?? [];
  return Array.from({length: Math.floor(v.length / 3)}, (_, i) => new Vector3(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
}

function halfSides(shape: ShapeInfo): Vector3 | null {
  switch (shape.kind) {
    case 'sphere': return new Vector3(1, 1, 1).multiplyScalar(shape.radius!);
    case 'box': return new Vector3(...shape.sides!).multiplyScalar(0.5);
    case 'capsule': return new Vector3(shape.radius!, shape.radius!, shape.radius! + shape.length! / 2);
    case 'cylinder': return new Vector3(shape.radius!, shape.radius!, shape.length! / 2);
    case 'point':
    case 'plane': return new Vector3();
    default: return null;
  }
}

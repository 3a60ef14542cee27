// What each body looks like: its shapes, or bars from its centre of mass to its joints when it has none.
import {Color, Matrix4, Quaternion, SRGBColorSpace, Vector3} from 'three';
import {isBody, type SceneInfo, type ShapeInfo} from './format';
import {capsule, reach, shapeCorners, type Solid, solidsOf, sphere} from './geometry';

export interface Part {
  body: number;
  solid: Solid;
  local: Matrix4; // solid to body
  collide: boolean;
  colour?: Color; // instead of the body's
}

const zAxis = new Vector3(0, 0, 1);

// Where gravity does not pull.
export function upOf(scene: SceneInfo): Vector3 {
  const g = new Vector3(...scene.gravity);
  return g.length() > 0 ? g.normalize().negate() : zAxis.clone();
}

export function bodiesNamed(scene: SceneInfo, names: string[]): number[] {
  return names.map((name) => {
    const body = scene.bodies.findIndex((info) => info.name === name);
    if (body < 0) throw new Error(`there is no body '${name}'`);
    return body;
  });
}

function place(body: number, solids: Solid[], at: Vector3, q: Quaternion, collide: boolean): Part[] {
  return solids.map((solid) => {
    const centre = new Vector3(0, 0, solid.shift ?? 0).applyQuaternion(q).add(at);
    return {body, solid, local: new Matrix4().compose(centre, q, solid.scale), collide};
  });
}

function shapeParts(body: number, shape: ShapeInfo): Part[] {
  const [w, x, y, z] = shape.q;
  const parts = place(body, solidsOf(shape), new Vector3(...shape.at), new Quaternion(x, y, z, w), shape.collide);
  const {color} = shape;
  if (color) for (const part of parts) part.colour = new Color().setRGB(color[0], color[1], color[2], SRGBColorSpace);
  return parts;
}

function bar(body: number, to: Vector3, radius: number): Part[] {
  const turn = new Quaternion().setFromUnitVectors(zAxis, to.clone().normalize());
  return place(body, capsule(radius, to.length()), to.clone().multiplyScalar(0.5), turn, false);
}

// Joint anchors of a body, in its coordinates, no two alike.
function anchorsOf(scene: SceneInfo, body: number): Vector3[] {
  const found: Vector3[] = [];
  for (const joint of scene.joints)
    for (const [owner, anchor] of [[joint.a, joint.anchor_a], [joint.b, joint.anchor_b]] as const) {
      if (owner !== body) continue;
      const point = new Vector3(...anchor);
      if (!found.some((other) => other.distanceTo(point) < 1e-6)) found.push(point);
    }
  return found;
}

function shapeless(scene: SceneInfo, body: number, size: number): Part[] {
  const anchors = anchorsOf(scene, body).filter((a) => a.length() > 1e-6);
  const longest = Math.max(0, ...anchors.map((a) => a.length()));
  const thick = anchors.length > 0 ? Math.min(0.012 * size, 0.09 * longest) : 0.012 * size;
  const bars = scene.bodies[body]!.kind === 'particle' ? [] : anchors.flatMap((a) => bar(body, a, thick));
  const smaller = scene.bodies.length > 60 ? 0.5 : 1;
  const heart = sphere(bars.length > 0 ? 1.7 * thick : 0.018 * size * smaller);
  return [...place(body, [heart], new Vector3(), new Quaternion(), false), ...bars];
}

export function partsOf(scene: SceneInfo, size: number): Part[] {
  return scene.bodies.flatMap((info, body) => {
    if (!isBody(info)) return [];
    const parts = info.shapes.flatMap((shape) => shapeParts(body, shape));
    return parts.length > 0 ? parts : shapeless(scene, body, size);
  });
}

// The ground's shapes other than planes, as parts of body -1.
export function groundParts(scene: SceneInfo): Part[] {
  return scene.ground.flatMap((shape) => shapeParts(-1, shape));
}

// How far a body reaches from its centre of mass.
export function bodyReach(scene: SceneInfo, body: number): number {
  const shapes = scene.bodies[body]!.shapes.map((s) => Math.hypot(...s.at) + reach(s));
  return Math.max(0, ...shapes, ...anchorsOf(scene, body).map((a) => a.length()));
}

// The corners of the box around a shape, in the coordinates of what it belongs to.
export function cornersOf(shape: ShapeInfo): Vector3[] {
  const [w, x, y, z] = shape.q;
  const q = new Quaternion(x, y, z, w);
  return shapeCorners(shape).map((point) => point.applyQuaternion(q).add(new Vector3(...shape.at)));
}

// The box around a body's shapes and anchors, in its coordinates: its eight corners, after its centre of mass.
export function corners(scene: SceneInfo, body: number): Vector3[] {
  const low = new Vector3(), high = new Vector3();
  const shapes = scene.bodies[body]!.shapes.filter(({kind}) => kind !== 'plane');
  for (const point of shapes.flatMap(cornersOf)) {
    low.min(point);
    high.max(point);
  }
  if (shapes.length === 0)
    for (const anchor of anchorsOf(scene, body)) {
      low.min(anchor);
      high.max(anchor);
    }
  const box = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z));
  return [new Vector3(), ...box];
}

// What each body looks like: its shapes, or bars from its centre of mass to its joints when it has none.
import {Matrix4, Quaternion, Vector3} from 'three';
import type {SceneInfo} from './format';
import {capsule, reach, type Solid, solidOf, sphere} from './geometry';

export interface Part {
  body: number;
  solid: Solid;
  local: Matrix4; // solid to body
  collide: boolean;
}

const zAxis = new Vector3(0, 0, 1);

export function barBetween(from: Vector3, to: Vector3, radius: number): {solid: Solid; local: Matrix4} {
  const along = to.clone().sub(from);
  const solid = capsule(radius, Math.max(along.length(), 1e-9));
  const turn = new Quaternion().setFromUnitVectors(zAxis, along.clone().normalize());
  return {solid, local: new Matrix4().compose(from.clone().add(to).multiplyScalar(0.5), turn, solid.scale)};
}

function place(at: Vector3, q: Quaternion, solid: Solid): Matrix4 {
  return new Matrix4().compose(at, q, solid.scale);
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
  const still = new Quaternion();
  const anchors = anchorsOf(scene, body).filter((a) => a.length() > 1e-6);
  const part = (solid: Solid, local: Matrix4): Part => ({body, solid, local, collide: false});
  const reaches = anchors.map((a) => a.length());
  const thick = Math.min(0.012 * size, anchors.length > 0 ? 0.09 * Math.max(...reaches) : Infinity);
  const info = scene.bodies[body]!;
  const bars = info.kind === 'particle' ? [] : anchors.map((a) => barBetween(new Vector3(), a, thick));
  const crowd = scene.bodies.length > 60 ? 0.5 : 1;
  const heart = sphere(bars.length > 0 ? 1.7 * thick : 0.018 * size * crowd);
  return [part(heart, place(new Vector3(), still, heart)), ...bars.map(({solid, local}) => part(solid, local))];
}

export function partsOf(scene: SceneInfo, size: number): Part[] {
  return scene.bodies.flatMap((info, body) => {
    const parts: Part[] = [];
    for (const shape of info.shapes) {
      const solid = solidOf(shape);
      if (!solid) continue;
      const [w, x, y, z] = shape.q;
      parts.push({body, solid, local: place(new Vector3(...shape.at), new Quaternion(x, y, z, w), solid), collide: shape.collide});
    }
    return parts.length > 0 ? parts : shapeless(scene, body, size);
  });
}

// The ground's shapes other than planes, as parts of body -1.
export function groundParts(scene: SceneInfo): Part[] {
  return scene.ground.flatMap((shape) => {
    const solid = solidOf(shape);
    if (!solid) return [];
    const [w, x, y, z] = shape.q;
    return [{body: -1, solid, local: place(new Vector3(...shape.at), new Quaternion(x, y, z, w), solid), collide: shape.collide}];
  });
}

// How far a body reaches from its centre of mass.
export function bodyReach(scene: SceneInfo, body: number): number {
  const shapes = scene.bodies[body]!.shapes.map((s) => Math.hypot(...s.at) + reach(s));
  return Math.max(0, ...shapes, ...anchorsOf(scene, body).map((a) => a.length()));
}

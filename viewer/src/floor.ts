// Where the floor of a scene lies: on its first plane; without one, under the lowest body.
import {Quaternion, Vector3} from 'three';
import type {SceneInfo} from './format';
import {bodyReach} from './looks';
import type {Poses} from './poses';
import type {Bounds} from './stage';
import type {Timeline} from './timeline';

// The point of it below the middle of the scene, and its normal.
export function floorOf(scene: SceneInfo, timeline: Timeline, poses: Poses, bounds: Bounds, up: Vector3): [Vector3, Vector3] {
  const plane = scene.ground.find(({kind}) => kind === 'plane');
  if (plane) {
    const normal = new Vector3(...plane.normal!).normalize();
    const [w, x, y, z] = plane.q;
    normal.applyQuaternion(new Quaternion(x, y, z, w));
    const through = new Vector3(...plane.at).addScaledVector(normal, plane.offset!);
    return [bounds.centre.clone().addScaledVector(normal, through.sub(bounds.centre).dot(normal)), normal];
  }
  let lowest = Infinity;
  const at = new Vector3();
  const every = Math.max(1, Math.floor(timeline.count / 60));
  for (let frame = 0; frame < timeline.count; frame += every)
    scene.bodies.forEach((_, body) => {
      lowest = Math.min(lowest, poses.position(body, {frame, fraction: 0}, at).dot(up) - bodyReach(scene, body));
    });
  const height = Number.isFinite(lowest) ? Math.max(lowest, bounds.centre.dot(up) - 1.2 * bounds.radius) : 0;
  return [bounds.centre.clone().addScaledVector(up, height - bounds.centre.dot(up)), up];
}

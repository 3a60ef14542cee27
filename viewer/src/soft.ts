// What is drawn as one thing although it is made of many bodies: cloth as a surface, cables as tubes.
import type {JointInfo, SceneInfo, ShapeInfo} from './format';

export interface Cable {
  bodies: number[]; // from one end to the other
  joints: JointInfo[]; // between them
  begin: JointInfo | null; // what it hangs on, at its first body and at its last
  end: JointInfo | null;
  radius: number; // of its links; 0: they have none
}

export interface Soft {
  faces: [number, number, number][]; // bodies at the corners of triangles
  cables: Cable[];
  bodies: Set<number>; // that are not drawn by themselves
  joints: Set<JointInfo>;
}

const fewestLinks = 8;
const mostNeighbours = 8;
const mostUneven = 1.5; // the thickest link over the thinnest

function neighbours(scene: SceneInfo): Map<number, number>[] {
  const out = scene.bodies.map(() => new Map<number, number>());
  scene.joints.forEach(({a, b, kind}, j) => {
    if (a < 0 || b < 0 || kind !== 'distance') return;
    out[a]!.set(b, j);
    out[b]!.set(a, j);
  });
  return out;
}

const isParticle = (scene: SceneInfo, body: number): boolean => scene.bodies[body]!.kind === 'particle';

// Threads between particles that close triangles, or squares where there are none, are a cloth.
function clothOf(scene: SceneInfo): Pick<Soft, 'faces' | 'bodies' | 'joints'> {
  const near = neighbours(scene);
  const bodies = new Set<number>();
  const joints = new Set<JointInfo>();
  const faces: [number, number, number][] = [];
  const usable = (body: number): boolean => isParticle(scene, body) && near[body]!.size <= mostNeighbours;
  const add = (...corners: number[]): void => {
    for (let k = 2; k < corners.length; ++k) faces.push([corners[0]!, corners[k - 1]!, corners[k]!]);
    corners.forEach((body, k) => {
      bodies.add(body);
      joints.add(scene.joints[near[body]!.get(corners[(k + 1) % corners.length]!)!]!);
    });
  };
  for (const squares of [false, true]) {
    if (faces.length > 0) break;
    near.forEach((around, u) => {
      if (!usable(u)) return;
      const list = [...around.keys()].filter((v) => v > u && usable(v));
      list.forEach((v, i) =>
        list.slice(i + 1).forEach((w) => {
          if (!squares && near[v]!.has(w)) add(u, v, w);
          if (!squares) return;
          for (const x of near[v]!.keys()) if (x > u && x !== w && near[w]!.has(x) && usable(x)) add(u, v, x, w);
        }),
      );
    });
  }
  return {faces, bodies, joints};
}

// A shape of a link: long and thin, or a small ball.
function linkRadius(shapes: readonly ShapeInfo[]): number | null {
  if (shapes.length === 0) return 0;
  if (shapes.length > 1) return null;
  const [shape] = shapes;
  if (shape!.kind === 'sphere') return shape!.radius!;
  const long = shape!.kind === 'capsule' || shape!.kind === 'cylinder';
  return long && shape!.length! >= 1.5 * shape!.radius! ? shape!.radius! : null;
}

const flexible = new Set(['ball', 'hinge', 'universal', 'distance', 'pin']);

// Runs of links, each joined to two others at most.
function cablesOf(scene: SceneInfo, taken: ReadonlySet<number>): Cable[] {
  const of = scene.bodies.map(() => [] as JointInfo[]);
  for (const joint of scene.joints) for (const body of [joint.a, joint.b]) if (body >= 0) of[body]!.push(joint);
  const radii = scene.bodies.map(({shapes}, body) => {
    const joints = of[body]!;
    const link = !taken.has(body) && joints.length >= 1 && joints.length <= 2 && joints.every(({kind}) => flexible.has(kind));
    return link && scene.bodies[body]!.kind !== 'scalable' ? linkRadius(shapes) : null;
  });
  const links = new Set(radii.flatMap((radius, body) => (radius === null ? [] : [body])));
  const other = (joint: JointInfo, body: number): number => (joint.a === body ? joint.b : joint.a);
  const inner = (body: number): JointInfo[] => of[body]!.filter((joint) => links.has(other(joint, body)));
  const seen = new Set<number>();
  const found: Cable[] = [];
  for (const start of links) {
    if (seen.has(start) || inner(start).length !== 1) continue;
    const bodies = [start];
    const joints: JointInfo[] = [];
    seen.add(start);
    for (let at = start; ; at = bodies[bodies.length - 1]!) {
      const next = inner(at).find((joint) => !seen.has(other(joint, at)));
      if (!next) break;
      joints.push(next);
      bodies.push(other(next, at));
      seen.add(bodies[bodies.length - 1]!);
    }
    // What hangs on the ends and is thicker than the links is a load, not a link.
    const typical = bodies.map((body) => radii[body]!).sort((x, y) => x - y)[bodies.length >> 1]!;
    const thick = (body: number | undefined): boolean => body !== undefined && radii[body]! > mostUneven * typical;
    for (; thick(bodies[0]); joints.shift()) bodies.shift();
    for (; thick(bodies[bodies.length - 1]); joints.pop()) bodies.pop();
    if (bodies.length < fewestLinks) continue;
    const hold = (body: number): JointInfo | null => of[body]!.find((joint) => !joints.includes(joint)) ?? null;
    const radius = Math.min(...bodies.map((body) => radii[body]!));
    // Neighbours that are alike: what is not is a mechanism, and is to be seen as one.
    if (Math.max(...bodies.map((body) => radii[body]!)) > mostUneven * radius) continue;
    found.push({bodies, joints, begin: hold(bodies[0]!), end: hold(bodies[bodies.length - 1]!), radius});
  }
  return found;
}

export function softOf(scene: SceneInfo): Soft {
  const cloth = clothOf(scene);
  const cables = cablesOf(scene, cloth.bodies);
  for (const {bodies, joints} of cables) {
    for (const body of bodies) cloth.bodies.add(body);
    for (const joint of joints) cloth.joints.add(joint);
  }
  return {...cloth, cables};
}

// What the program says of a scene. src/record/scene_json.cpp writes it.

export type Triple = [number, number, number];
export type Quadruple = [number, number, number, number]; // quaternion w x y z, or a colour

export type ShapeKind = 'sphere' | 'point' | 'box' | 'capsule' | 'cylinder' | 'plane' | 'hull' | 'mesh';

export interface ShapeInfo {
  kind: ShapeKind;
  at: Triple; // body coordinates
  q: Quadruple;
  collide: boolean;
  color?: Quadruple; // red, green, blue, opacity, where the scene gives one
  radius?: number;
  length?: number;
  sides?: Triple;
  normal?: Triple;
  offset?: number;
  vertices?: number[]; // hull and mesh: x y z, x y z, …
  triangles?: number[]; // mesh: three indices a triangle
}

export interface BodyInfo {
  name: string;
  kind: 'rigid' | 'particle' | 'planar' | 'scalable' | 'deformable' | 'form'; // form: the coordinates of the deformable body before it
  mass: number;
  inertia: [number, number, number, number, number, number]; // xx yy zz xy xz yz
  shapes: ShapeInfo[];
  stretch?: Triple; // deformable: the coordinate of its form that stretches each axis, -1 for none
}

// What a user calls a body.
export const isBody = ({kind}: BodyInfo): boolean => kind !== 'form';

export interface LinkInfo {
  a: number; // index of a body; -1 is the ground
  b: number;
  anchor_a: Triple;
  anchor_b: Triple;
}

export interface JointInfo extends LinkInfo {
  name: string;
  kind: string;
  frame_a: Quadruple;
  frame_b: Quadruple;
  motor: boolean; // a motor, an actuator or a control acts on it
}

export interface RunInfo {
  method: string;
  used?: string; // live: what method auto stands for
  integrator: string;
  stabilise: string;
  solver: string;
  contacts: string;
  step: number;
}

export interface SceneInfo {
  name: string;
  gravity: Triple;
  bodies: BodyInfo[];
  ground: ShapeInfo[];
  joints: JointInfo[];
  springs: LinkInfo[];
  run: RunInfo;
}

export interface Contact {
  point: Triple;
  normal: Triple;
  force: Triple;
}

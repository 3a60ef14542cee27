// The same bodies where a second method has them.
import {Quaternion, type Scene, Vector3} from 'three';
import {Bodies} from './bodies';
import {ghostColour} from './colours';
import type {SceneInfo} from './format';
import {partsOf} from './looks';
import type {Pose} from './poses';

export class Ghost {
  private bodies: Bodies | null = null;
  private poses: Pose[] = [];

  constructor(private readonly info: SceneInfo, private readonly size: number, private readonly scene: Scene) {}

  hide(): void {
    if (this.bodies) this.scene.remove(this.bodies.group);
    this.bodies = null;
  }

  // Seven numbers a body: position, and the quaternion with its real part first.
  draw(numbers: Float32Array): void {
    if (!this.bodies) {
      this.bodies = new Bodies(partsOf(this.info, this.size), {colour: () => ghostColour, ghost: true});
      this.poses = this.info.bodies.map(() => ({p: new Vector3(), q: new Quaternion(), scale: new Vector3(1, 1, 1)}));
      this.scene.add(this.bodies.group);
    }
    this.poses.forEach(({p, q}, body) => {
      const n = (k: number): number => numbers[7 * body + k]!;
      p.set(n(0), n(1), n(2));
      q.set(n(4), n(5), n(6), n(3));
    });
    this.bodies.place(this.poses);
  }
}

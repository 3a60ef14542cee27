// In a corner of the scene: which way the axes point, and how wide a square of the grid is.
import type {PerspectiveCamera} from 'three';
import {Vector3} from 'three';
import {element} from './dom';
import {quantity} from './numbers';

const space = 'http://www.w3.org/2000/svg';
const colours = ['#ff6b6b', '#51cf66', '#4dabf7'];
const reach = 22;

export class Corner {
  readonly root = element('div', {class: 'corner', role: 'img', 'aria-label': 'Axes and scale'});
  private readonly axes: {line: SVGLineElement; label: SVGTextElement; way: Vector3}[];
  private readonly scale = element('span');

  constructor() {
    const svg = document.createElementNS(space, 'svg');
    svg.setAttribute('viewBox', '-32 -32 64 64');
    this.axes = ['x', 'y', 'z'].map((name, k) => {
      const line = document.createElementNS(space, 'line');
      const label = document.createElementNS(space, 'text');
      line.setAttribute('stroke', colours[k]!);
      label.setAttribute('fill', colours[k]!);
      label.textContent = name;
      svg.append(line, label);
      return {line, label, way: new Vector3().setComponent(k, 1)};
    });
    this.root.append(svg, this.scale);
  }

  set cell(metres: number) {
    this.scale.textContent = `grid ${quantity([metres], 'm')}`;
  }

  draw(camera: PerspectiveCamera): void {
    const turn = camera.quaternion.clone().invert();
    for (const {line, label, way} of this.axes) {
      const seen = way.clone().applyQuaternion(turn);
      line.setAttribute('x2', (reach * seen.x).toFixed(1));
      line.setAttribute('y2', (-reach * seen.y).toFixed(1));
      label.setAttribute('x', (1.3 * reach * seen.x).toFixed(1));
      label.setAttribute('y', (-1.3 * reach * seen.y).toFixed(1));
    }
  }
}

// Patterns in two shades of a body's colour, so that one sees round things turn.
import {CanvasTexture, RepeatWrapping, SRGBColorSpace, type Texture} from 'three';

const light = '#ffffff';
const dark = '#c4c4c4';

function painted(width: number, height: number, paint: (g: CanvasRenderingContext2D) => void): Texture {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const g = canvas.getContext('2d');
  if (g) {
    g.fillStyle = light;
    g.fillRect(0, 0, width, height);
    g.fillStyle = dark;
    paint(g);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = RepeatWrapping;
  texture.anisotropy = 4;
  return texture;
}

// Stripes along the axis of what goes round: for spheres and for the sides of cylinders.
export function stripes(count: number): Texture {
  const wide = 64;
  return painted(2 * wide * count, 8, (g) => {
    for (let i = 0; i < count; ++i) g.fillRect(2 * wide * i, 0, wide, 8);
  });
}

// Sectors of a disc: for the ends of cylinders.
export function sectors(count: number): Texture {
  const side = 256;
  return painted(side, side, (g) => {
    for (let i = 0; i < count; ++i) {
      g.beginPath();
      g.moveTo(side / 2, side / 2);
      g.arc(side / 2, side / 2, side, (2 * Math.PI * i) / count, (2 * Math.PI * (i + 0.5)) / count);
      g.fill();
    }
  });
}

// What plots are drawn with: a canvas, or a pen that writes the same lines as SVG.
export interface Pen {
  font: string;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  fillStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  lineJoin: CanvasLineJoin;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  stroke(): void;
  fillText(text: string, x: number, y: number): void;
}

const anchors: Partial<Record<CanvasTextAlign, string>> = {right: 'end', center: 'middle'};
const baselines: Partial<Record<CanvasTextBaseline, string>> = {middle: 'central', top: 'hanging'};
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const short = (x: number): string => x.toFixed(1);

export class SvgPen implements Pen {
  font = '';
  strokeStyle: string | CanvasGradient | CanvasPattern = '#000';
  fillStyle: string | CanvasGradient | CanvasPattern = '#000';
  lineWidth = 1;
  lineJoin: CanvasLineJoin = 'round';
  textAlign: CanvasTextAlign = 'left';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  private path = '';
  private readonly items: string[] = [];

  constructor(private readonly width: number, private readonly height: number) {}

  beginPath(): void {
    this.path = '';
  }

  moveTo(x: number, y: number): void {
    this.path += `M${short(x)} ${short(y)}`;
  }

  // A path may begin with a line, as on a canvas.
  lineTo(x: number, y: number): void {
    this.path += `${this.path ? 'L' : 'M'}${short(x)} ${short(y)}`;
  }

  stroke(): void {
    if (this.path) this.items.push(`<path d="${this.path}" fill="none" stroke="${String(this.strokeStyle)}" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"/>`);
  }

  fillText(text: string, x: number, y: number): void {
    const place = `text-anchor="${anchors[this.textAlign] ?? 'start'}" dominant-baseline="${baselines[this.textBaseline] ?? 'auto'}"`;
    this.items.push(`<text x="${short(x)}" y="${short(y)}" ${place} fill="${String(this.fillStyle)}">${escaped(text)}</text>`);
  }

  // Of other drawings: this one moved, to be put into a larger one.
  group(x: number, y: number): string {
    return `<g transform="translate(${short(x)} ${short(y)})">${this.items.join('\n')}</g>`;
  }

  get size(): {width: number; height: number} {
    return {width: this.width, height: this.height};
  }
}

export function svgFile(width: number, height: number, background: string, groups: string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${short(width)}" height="${short(height)}" font-family="sans-serif" font-size="10">
<rect width="100%" height="100%" fill="${background}"/>
${groups.join('\n')}
</svg>
`;
}

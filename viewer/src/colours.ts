// Colours: of bodies, and of the two themes.
import {Color} from 'three';

const few = ['#e4572e', '#2e86ab', '#f3a712', '#5b8c5a', '#a23b72', '#3d5a80', '#e07a5f', '#29a19c', '#8d6a9f', '#c08552', '#4f9d69', '#d1495b'];
const ramp = ['#3b4cc0', '#2b8cbe', '#1fa187', '#7ac143', '#f3b61f', '#ee7733', '#c8324f', '#8e3b9e'].map((c) => new Color(c));

// Few bodies get colours that differ; many get a ramp, so that neighbours look alike and waves can be followed.
export function bodyColour(index: number, count: number): Color {
  if (count <= few.length * 2) return new Color(few[index % few.length]);
  const at = (index / (count - 1)) * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  return ramp[low]!.clone().lerp(ramp[low + 1]!, at - low);
}

export const groundColour = new Color('#9aa3ad');
export const ghostColour = new Color('#7cc4ff');

export interface Theme {
  name: 'dark' | 'light';
  background: string;
  grid: string;
  gridOpacity: number;
  shadow: number; // opacity
  ink: string; // joints, links
  sky: string;
  earth: string;
}

export const themes: Record<'dark' | 'light', Theme> = {
  dark: {name: 'dark', background: '#141922', grid: '#a9bddb', gridOpacity: 0.34, shadow: 0.55, ink: '#aab4c3', sky: '#cfe0ff', earth: '#565d6b'},
  light: {name: 'light', background: '#eef1f5', grid: '#42526b', gridOpacity: 0.26, shadow: 0.25, ink: '#4a5568', sky: '#ffffff', earth: '#c9ced6'},
};
export const seriesColours = ['#3b82f6', '#f97316', '#10b981', '#e11d48', '#8b5cf6', '#eab308', '#06b6d4', '#84cc16'];

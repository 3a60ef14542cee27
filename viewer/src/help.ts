// What keys and gestures do.
import {button, element} from './dom';

const lines: [string, string][] = [
  ['space', 'play, pause'],
  ['← →', 'one frame back or on; with shift ten'],
  ['home, end', 'start, end'],
  ['drag, wheel, pinch', 'turn and zoom the view; with the right button, move it'],
  ['click', 'a body or joint: its name and its values; a click on a value plots it'],
  ['drag in a plot', 'move through the run; the pointer over a plot reads its values'],
  ['f', 'the whole machine in view'],
  ['p, g', 'panel at the side; plots'],
  ['t', 'dark or light'],
  ['s', 'save: picture, plots, video, columns, model'],
  ['escape', 'close help and menus; choose nothing'],
  ['?', 'this list'],
];

export function helpPanel(live: boolean): HTMLElement {
  const rows = live ? [...lines, ['drag a body', 'pull it; while paused, lead it by hand'] as [string, string]] : lines;
  const panel: HTMLElement = element('section', {class: 'help panel', hidden: '', role: 'dialog', 'aria-label': 'Help'},
    element('header', {}, element('h2', {}, 'Keys and gestures'), button('close', 'Close help', () => (panel.hidden = true))),
    element('dl', {}, ...rows.flatMap(([key, what]) => [element('dt', {}, key), element('dd', {}, what)])));
  return panel;
}

// Sliders of a live run: inputs of its controls, and numbers of its model.
import {element} from './dom';
import type {Live, Slider} from './live';
import {figure} from './numbers';

function row(slider: Slider, send: (value: number) => void): HTMLElement {
  const field = element('input', {type: 'range', min: String(slider.low), max: String(slider.high), step: 'any', 'aria-label': slider.name, class: 'slider'});
  field.value = String(slider.value);
  const shown = element('output');
  const show = (): void => {
    shown.textContent = `${figure(Math.abs(Number(field.value)) < 1e-9 * (slider.high - slider.low) ? 0 : Number(field.value))} ${slider.unit}`.trim();
  };
  show();
  field.addEventListener('input', () => {
    show();
    send(Number(field.value));
  });
  // A double click goes back to where it stood first.
  field.addEventListener('dblclick', () => {
    field.value = String(slider.value);
    show();
    send(slider.value);
  });
  return element('label', {class: 'slide'}, element('span', {}, slider.name), shown, field);
}

export function sliderRows(live: Live, type: 'control' | 'parameter'): HTMLElement[] {
  const sliders = type === 'control' ? live.hello.controls : live.hello.parameters;
  return sliders.map((slider, index) => row(slider, (value) => live.send({type, index, value})));
}

// Files that the page hands out.
import {element} from './dom';
import type {Timeline} from './timeline';

export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type}));
  element('a', {href: address, download: name}).click();
  window.setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// The columns of a run as they are in the page: poses are rounded to its quanta.
export function csvOf(timeline: Timeline): string {
  const lines = [['time', ...timeline.names].join(',')];
  for (let frame = 0; frame < timeline.count; ++frame) {
    const row = [Number(timeline.time(frame).toPrecision(12))];
    for (let column = 0; column < timeline.names.length; ++column) row.push(Number(timeline.value(column, frame).toPrecision(7)));
    lines.push(row.join(','));
  }
  return lines.join('\n') + '\n';
}

// Files that the page hands out.
import {element} from './dom';
import type {Timeline} from './timeline';

export function download(name: string, address: string): void {
  element('a', {href: address, download: name}).click();
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

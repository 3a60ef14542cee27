// Frames a second of the page with many bodies: node frames.mjs CATENA. Debian's Chromium draws without a window and without a graphics card, so
// what is measured is the page with OpenGL in software: a lower bound for any machine.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const [catena] = process.argv.slice(2);
if (!catena) {
  console.error('usage: node frames.mjs CATENA');
  process.exit(2);
}
const seconds = 5;
const folder = mkdtempSync(join(tmpdir(), 'catena-frames-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

// Pendulums side by side, in rows of ten or so.
function scene(count) {
  const columns = Math.ceil(Math.sqrt(count));
  const lines = ['catena: 1', `name: ${count} pendulums`, 'simulate: {step: 5e-3, duration: 8}', 'bodies:'];
  const at = (i) => [0.4 * (i % columns), 0.4 * Math.floor(i / columns)];
  for (let i = 0; i < count; i++)
    lines.push(`  b${i}: {mass: 1, position: [${at(i)[0] + 0.15}, ${at(i)[1]}, 1], orientation: {axis: [0, 1, 0], angle: 90 deg}, ` +
      'shapes: [{capsule: {radius: 0.03, length: 0.24}, collide: no}]}');
  lines.push('joints:');
  for (let i = 0; i < count; i++) lines.push(`  j${i}: {kind: hinge, between: [ground, b${i}], anchor: [${at(i)[0]}, ${at(i)[1]}, 1], axis: [0, 1, 0]}`);
  return lines.join('\n');
}

for (const count of [10, 100, 1000]) {
  const file = join(folder, `${count}.yaml`), page = join(folder, `${count}.html`);
  writeFileSync(file, scene(count));
  execFileSync(catena, ['simulate', file, '--out', page, '--quiet']);
  for (const [width, height] of [[1280, 800], [480, 320]]) {
    const tab = await browser.newPage({viewport: {width, height}});
    await tab.goto(pathToFileURL(page).href);
    await tab.waitForFunction(() => window.catena?.report, null, {timeout: 60000});
    const result = await tab.evaluate((time) => new Promise((done) => {
      const begin = performance.now();
      let frames = 0;
      const next = () => {
        const passed = performance.now() - begin;
        if (passed < 1000 * time) {
          frames++;
          return requestAnimationFrame(next);
        }
        const start = performance.now();
        for (let k = 0; k < 10; k++) window.catena.draw();  // hands the frame over; the drawing itself is not waited for
        done({fps: frames / passed * 1000, work: (performance.now() - start) / 10});
      };
      requestAnimationFrame(next);
    }), seconds);
    console.log(`${count} bodies, ${width} x ${height}: ${result.fps.toFixed(1)} frames/s, ${result.work.toFixed(1)} ms of the page's own work a frame`);
    await tab.close();
  }
}
await browser.close();
rmSync(folder, {recursive: true});

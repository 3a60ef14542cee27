// Frames of a replay for a moving picture: node moving.mjs RUN.html FROM TO FRAMES FOLDER [WIDTHxHEIGHT]. Debian's Chromium draws them, without a
// window; the page's panels are hidden. docs/images/strandbeest.gif is made of them by examples/make/moving_picture.py.
import {mkdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const [file, from, to, frames, folder, size = '640x400'] = process.argv.slice(2);
if (!folder || !(Number(to) > Number(from)) || !(Number(frames) >= 2)) {
  console.error('usage: node moving.mjs RUN.html FROM TO FRAMES FOLDER [WIDTHxHEIGHT]');
  process.exit(2);
}
const [width, height] = size.split('x').map(Number);
mkdirSync(folder, {recursive: true});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const page = await browser.newPage({viewport: {width, height}, colorScheme: 'dark'});
await page.goto(pathToFileURL(resolve(file)).href);
await page.waitForFunction(() => window.catena?.report, null, {timeout: 300000});
const canvas = await page.evaluate(() => {
  const largest = [...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0];
  const box = largest.getBoundingClientRect();
  return {x: box.x, y: box.y, width: box.width, height: box.height};
});
for (let i = 0; i < Number(frames); ++i) {
  const time = Number(from) + (Number(to) - Number(from)) * i / (Number(frames) - 1);
  await page.evaluate((t) => window.catena.show(t), time);
  await page.waitForTimeout(50);
  await page.screenshot({path: join(folder, `${String(i).padStart(4, '0')}.png`), clip: canvas, timeout: 120000});
}
await browser.close();

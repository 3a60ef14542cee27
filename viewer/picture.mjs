// A picture of a replay: node picture.mjs RUN.html SECONDS OUT.png [WIDTHxHEIGHT]. Debian's Chromium draws it, without a window.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const [file, seconds, out, size = '1280x800'] = process.argv.slice(2);
if (!out || !(Number(seconds) >= 0)) {
  console.error('usage: node picture.mjs RUN.html SECONDS OUT.png [WIDTHxHEIGHT]');
  process.exit(2);
}
const [width, height] = size.split('x').map(Number);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const page = await browser.newPage({viewport: {width, height}, colorScheme: 'dark'});
await page.goto(pathToFileURL(resolve(file)).href);
await page.waitForFunction(() => window.catena?.report, null, {timeout: 60000});
await page.evaluate((time) => window.catena.show(time), Number(seconds));
await page.waitForTimeout(500);
await page.screenshot({path: out});
await browser.close();

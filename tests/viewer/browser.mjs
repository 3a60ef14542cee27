// What the tests of the page share: node NAME_test.mjs CATENA CHROMIUM FOLDER. Screenshots stay in FOLDER. ONLY=name,name runs some of the tests.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const [catena, browserPath, folder] = process.argv.slice(2);
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const {chromium} = createRequire(join(root, 'viewer/package.json'))('playwright-core');
rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
export const children = [];

const patience = 240000; // ms: the machine may be busy with other things

// Opens an address; anything the page complains of fails the test.
export async function open(address, viewport = {width: 480, height: 400}) {
  const page = await browser.newPage({viewport, colorScheme: 'dark', hasTouch: viewport.width < 500});
  page.setDefaultTimeout(patience);
  page.complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('request', (request) => page.complaints.push(...(request.url().startsWith('http') && !request.url().includes('127.0.0.1') ? [request.url()] : [])));
  await page.goto(address);
  await page.waitForFunction(() => window.catena || document.querySelector('.sorry'));
  assert.equal(await page.locator('.sorry').count(), 0, 'the page shows the run');
  const still = address.endsWith('#still'); // it draws when it is asked to
  await page.waitForFunction((once) => window.catena?.report?.fps > 0 || (once && window.catena?.report), still);
  return page;
}

export const report = (page) => page.evaluate(() => window.catena.report);
export const value = (page, name) => page.evaluate((n) => window.catena.value(n), name);
export const where = (page, name) => page.evaluate((n) => window.catena.where(n), name);

// Draws once and reads the pixels back: how many colours there are (a blank canvas has one), and a hash of them all.
export function pixels(page) {
  return page.evaluate(() => {
    window.catena.draw();
    const gl = window.catena.stage.renderer.getContext();
    const bytes = new Uint32Array(gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(bytes.buffer));
    return {colours: new Set(bytes).size, hash: bytes.reduce((h, x) => (Math.imul(h, 31) + x) | 0, 7)};
  });
}

// Waits until the page has drawn what it was told.
export const nextFrames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// What an entry of the menu of files hands over.
export async function saved(page, entry) {
  await page.keyboard.press('s');
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.files button', {hasText: entry}).click()]);
  return readFileSync(await download.path());
}

// A run of an example as a page, in the folder of the screenshots; its address.
export function replay(example, name, ...flags) {
  const file = join(folder, `${name}.html`);
  execFileSync(catena, ['simulate', join(root, 'examples', `${example}.yaml`), '--out', file, '--quiet', ...flags]);
  return {file, address: pathToFileURL(file).href};
}

// Runs the tests by name, or those of the variable ONLY, one after another.
export async function run(tests) {
  const only = process.env.ONLY?.split(',');
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (only && !only.includes(name)) continue;
    const begin = Date.now();
    try {
      await test();
      console.log(`ok ${name} ${Date.now() - begin} ms`);
    } catch (error) {
      failed += 1;
      console.error(`FAILED ${name}: ${error.stack}`);
    }
    for (const context of browser.contexts()) await context.close();
  }
  for (const child of children) child.kill();
  await browser.close();
  process.exit(failed > 0 ? 1 : 0);
}

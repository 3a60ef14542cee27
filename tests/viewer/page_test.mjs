// The page in a real browser: node page_test.mjs CATENA CHROMIUM FOLDER. Screenshots stay in FOLDER.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const [catena, browserPath, folder] = process.argv.slice(2);
const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const {chromium} = createRequire(join(root, 'viewer/package.json'))('playwright-core');
rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const children = [];

const patience = 240000; // ms: the machine may be busy with other things

// Opens an address; anything the page complains of fails the test.
async function open(address, viewport = {width: 480, height: 400}) {
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

const report = (page) => page.evaluate(() => window.catena.report);
const value = (page, name) => page.evaluate((n) => window.catena.value(n), name);
const where = (page, name) => page.evaluate((n) => window.catena.where(n), name);

// Draws once and reads the pixels back: how many colours there are (a blank canvas has one), and a hash of them all.
function pixels(page) {
  return page.evaluate(() => {
    window.catena.draw();
    const gl = window.catena.stage.renderer.getContext();
    const bytes = new Uint32Array(gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(bytes.buffer));
    return {colours: new Set(bytes).size, hash: bytes.reduce((h, x) => (Math.imul(h, 31) + x) | 0, 7)};
  });
}

// Waits until the page has drawn what it was told.
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function replayFromDisk() {
  const file = join(folder, 'legs.html');
  execFileSync(catena, ['simulate', join(root, 'examples/jansen_legs.yaml'), '--duration', '4', '--out', file, '--quiet']);
  const page = await open(pathToFileURL(file).href);
  assert.ok((await pixels(page)).colours > 200, 'the canvas is not blank');

  await page.waitForFunction(() => window.catena.report.playing && window.catena.report.time > 0.3); // by itself
  await page.keyboard.press('Space');
  assert.equal((await report(page)).playing, false, 'space pauses');
  await page.keyboard.press('Backspace');
  assert.equal((await report(page)).time, 0, 'backspace goes back to the start');
  await page.keyboard.press('ArrowRight');
  assert.ok(Math.abs((await report(page)).time - 0.02) < 1e-9, 'an arrow is one frame');

  // Scrubbing shows the recorded pose.
  execFileSync(catena, ['simulate', join(root, 'examples/jansen_legs.yaml'), '--at', '2', '--out', join(folder, 'at.csv'), '--quiet']);
  await page.locator('input.scrub').fill('500');
  await settle(page);
  const [names, numbers] = readFileSync(join(folder, 'at.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
  const at = (await where(page, 'left_toe')).world;
  for (const [k, axis] of ['x', 'y', 'z'].entries())
    assert.ok(Math.abs(at[k] - Number(numbers[names.indexOf(`left_toe.${axis}`)])) < 2e-5, `left_toe.${axis} at 2 s`);

  // Every layer changes the picture.
  await page.locator('button[title=Layers]').click();
  for (const layer of ['joints', 'frames', 'reactions', 'centres', 'inertia', 'wire', 'trails', 'shadows', 'grid']) {
    const before = (await pixels(page)).hash;
    await page.evaluate((name) => document.querySelector(`input[data-toggle=${name}]`).click(), layer);
    assert.notEqual((await pixels(page)).hash, before, `the layer ${layer} acts`);
  }
  await page.locator('button[title=Layers]').click();

  // A click names what it hits, with values.
  const {pixel} = await where(page, 'left_toe');
  await page.mouse.click(pixel[0], pixel[1]);
  await page.waitForSelector('.inspector:not([hidden])');
  assert.match(await page.locator('.inspector dl').innerText(), /position|force/);

  // Any column can be plotted; the theme turns.
  await page.locator('button[title=Plots]').click();
  await page.locator('.chooser input').fill('left_toe.z');
  await page.locator('.chooser input').press('Enter');
  assert.equal(await page.locator('.plot[data-title="left_toe.z"]').count(), 1);
  await page.locator('button[title="Dark or light"]').click();
  await settle(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  await page.screenshot({path: join(folder, 'replay-light.png')});
  assert.deepEqual(page.complaints, []);
  await page.close();
}

async function phone() {
  const page = await open(pathToFileURL(join(folder, 'legs.html')).href, {width: 360, height: 640});
  await page.waitForFunction(() => window.catena.report.time > 0.1);
  await page.locator('button.primary').tap();
  assert.equal((await report(page)).playing, false, 'a tap pauses');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the phone');
  await page.screenshot({path: join(folder, 'phone.png')});
  assert.deepEqual(page.complaints, []);
  await page.close();
}

// The bodies fill the picture at every moment, from the first to the last, while the machine walks by its own length.
async function framing() {
  const file = join(folder, 'walk.html');
  execFileSync(catena, ['simulate', join(root, 'examples/strandbeest.yaml'), '--duration', '6', '--sample', '0.05', '--out', file, '--quiet']);
  for (const [width, height] of [[1400, 900], [1000, 680], [390, 844]]) {
    const page = await open(`${pathToFileURL(file).href}#still`, {width, height});
    for (const time of [0, 3, 6]) {
      const seen = await page.evaluate((t) => {
        window.catena.show(t);
        const canvas = document.querySelector('canvas.scene').getBoundingClientRect();
        const pixels = window.catena.scene.bodies.map(({name}) => window.catena.where(name).pixel);
        const range = (k) => [Math.min(...pixels.map((p) => p[k])), Math.max(...pixels.map((p) => p[k]))];
        return {x: range(0), y: range(1), wide: canvas.width, high: canvas.height};
      }, time);
      const at = `${width} x ${height} at ${time} s: ${JSON.stringify(seen)}`;
      assert.ok(seen.x[0] > 0 && seen.x[1] < seen.wide && seen.y[0] > 0 && seen.y[1] < seen.high, `all bodies are in the picture, ${at}`);
      const share = Math.max((seen.x[1] - seen.x[0]) / seen.wide, (seen.y[1] - seen.y[0]) / seen.high);
      assert.ok(share > 0.45, `the centres of the bodies span half of the picture, ${at}`);
    }
    const picture = await page.evaluate(([w, h]) => window.catena.picture(3, w, h), [width, height]);
    writeFileSync(join(folder, `framing-${width}.png`), Buffer.from(picture.split(',')[1], 'base64'));
    assert.deepEqual(page.complaints, []);
    await page.close();
  }
}

// Help, files, names for everything that can be used, and contrast: 4.5 for text and 3 for icons (WCAG 2.1, 1.4.3 and 1.4.11).
async function panels() {
  const file = join(folder, 'legs.html');
  assert.ok(readFileSync(file).length < 2.5e6, 'the page is small');
  const page = await open(`${pathToFileURL(file).href}#paused`, {width: 1000, height: 680});
  assert.equal((await report(page)).playing, false, 'the address says whether it plays');
  await page.keyboard.press('?');
  assert.ok(await page.locator('.help').isVisible(), 'help comes');
  await page.keyboard.press('Escape');
  assert.ok(!(await page.locator('.help').isVisible()), 'and goes');

  const saved = async (title) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`button[title="${title}"]`).click()]);
    return readFileSync(await download.path());
  };
  const lines = (await saved('Save the columns (CSV)')).toString().trim().split('\n');
  assert.equal(lines.length, 1 + (await report(page)).frames);
  assert.ok(lines.every((line) => line.split(',').length === lines[0].split(',').length));
  const png = await saved('Save a picture (PNG)');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.length > 5000, 'the picture is not empty');

  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => window.catena.setTheme(name), theme);
    const faults = await page.evaluate(() => {
      const out = [];
      for (const item of document.querySelectorAll('button, input, select, canvas'))
        if (!(item.getAttribute('aria-label') || item.labels?.length)) out.push(`no name: ${item.outerHTML.slice(0, 80)}`);
      const light = (colour) => {
        const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      const back = getComputedStyle(document.body).backgroundColor;
      for (const [what, on, least] of [['.title p', back, 4.5], ['h1', back, 4.5], ['.clock', back, 4.5], ['.plot h3', back, 4.5], ['.corner span', back, 4.5],
        ['button.primary', getComputedStyle(document.querySelector('button.primary')).backgroundColor, 3]]) {
        const found = ratio(getComputedStyle(document.querySelector(what)).color, on);
        if (found < least) out.push(`${what}: contrast ${found.toFixed(2)}`);
      }
      return out;
    });
    assert.deepEqual(faults, [], theme);
  }
  await page.screenshot({path: join(folder, 'panels-light.png')});
  assert.deepEqual(page.complaints, []);
  await page.close();
}

function view(scene) {
  const child = spawn(catena, ['view', '--quiet', join(root, 'examples', scene)]);
  children.push(child);
  return new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
}

async function dragTo(page, body, dx, dy) {
  const {pixel: [x, y]} = await where(page, body);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 8; ++i) {
    await page.mouse.move(x + (dx * i) / 8, y + (dy * i) / 8);
    await page.waitForTimeout(30);
  }
}

async function live() {
  const page = await open(await view('jansen_legs.yaml'));
  assert.ok((await pixels(page)).colours > 200, 'the canvas is not blank');

  // It runs at once; paused at its start, the crank is led by hand, every loop closed.
  await page.waitForFunction(() => window.catena.report.playing && window.catena.report.time > 0);
  await page.keyboard.press('Space');
  await page.waitForFunction(() => !window.catena.report.playing);
  await page.keyboard.press('Backspace');
  await page.waitForFunction(() => window.catena.report.time === 0);
  const before = (await where(page, 'left_j')).world;
  await dragTo(page, 'left_j', -20, 25);
  await page.mouse.up();
  await settle(page);
  const after = (await where(page, 'left_j')).world;
  assert.ok(Math.hypot(...after.map((x, k) => x - before[k])) > 0.01, 'a drag moves the body');
  assert.equal((await report(page)).time, 0, 'no time passes');
  assert.ok((await value(page, 'drift.position')) <= 1e-9, 'loops stay closed');
  assert.ok((await value(page, 'drift.angle')) <= 1e-9, 'hinges stay aligned');

  // Running: time advances, a drag is a force, loops stay closed.
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.catena.report.playing && window.catena.report.time > 0.2);
  await dragTo(page, 'left_foot', 15, -10);
  await page.mouse.up();
  assert.ok((await value(page, 'drift.position')) <= 1e-9, 'loops stay closed');

  // Another step while it runs, and a ghost.
  await page.locator('button[title=Layers]').click();
  await page.locator('select[aria-label=integrator]').first().selectOption('euler');
  await page.locator('#ghost').check();
  await page.waitForFunction(() => document.querySelectorAll('select[aria-label=integrator]').length === 2);
  const then = (await report(page)).time;
  await page.waitForFunction((t) => window.catena.report.time > t + 0.1, then);

  // Scrub back, then go on from there; then back to the start.
  await page.locator('button[title=Layers]').click();
  await page.keyboard.press('Space');
  await page.waitForFunction(() => !window.catena.report.playing);
  await page.locator('input.scrub').fill('300');
  const back = (await report(page)).time;
  assert.ok(back < then, 'scrubbing goes back');
  await page.locator('canvas.scene').focus();
  await page.keyboard.press('Space');
  await page.waitForFunction((t) => window.catena.report.playing && window.catena.report.time > t, back);
  await page.keyboard.press('Space');
  await page.keyboard.press('Backspace');
  await page.waitForFunction(() => window.catena.report.time === 0);
  assert.deepEqual(page.complaints, []);
  await page.close();
}

// Two boxes that lie on each other and on the ground: the layer of contacts draws where and how strongly they touch.
async function contacts() {
  const scene = join(folder, 'boxes.yaml'), file = join(folder, 'boxes.html');
  writeFileSync(scene, `catena: 1
simulate: {method: impulse, step: 5e-3, duration: 0.2}
bodies:
  low: {density: 500, position: [0, 0, 0.1], shapes: [{box: [0.4, 0.4, 0.2]}]}
  high: {density: 500, position: [0, 0, 0.3], shapes: [{box: [0.3, 0.3, 0.2]}]}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
`);
  execFileSync(catena, ['simulate', scene, '--out', file, '--quiet']);
  const page = await open(pathToFileURL(file).href);
  await page.evaluate(() => window.catena.show(0.1));
  await settle(page);
  const toggle = () => page.evaluate(() => document.querySelector('input[data-toggle=contacts]').click());
  const shown = (await pixels(page)).hash;
  await toggle();
  assert.notEqual((await pixels(page)).hash, shown, 'the layer contacts acts');
  await toggle();
  assert.equal((await pixels(page)).hash, shown, 'and comes back');
  await page.screenshot({path: join(folder, 'contacts.png')});
  assert.deepEqual(page.complaints, []);
  await page.close();
}

const only = process.env.ONLY?.split(',');
const tests = {replayFromDisk, phone, framing, panels, contacts, live};
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

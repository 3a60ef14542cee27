// The page in a real browser: a replay, on a phone, framing, panels, contacts, a live run.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {catena, children, folder, nextFrames, open, pixels, replay, report, root, run, value, where} from './browser.mjs';

// How many colours the image behind the canvas has, which browsers show that take a picture before the canvas itself is shown.
function coloursBehindCanvas(page) {
  return page.evaluate(async () => {
    const image = new Image();
    image.src = getComputedStyle(document.querySelector('.view')).backgroundImage.slice(5, -2);
    await image.decode();
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [image.width, image.height];
    const context = copy.getContext('2d');
    context.drawImage(image, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer)).size;
  });
}

async function replayFromDisk() {
  const {address} = replay('jansen_legs', 'legs', '--duration', '4');
  const page = await open(address);
  assert.ok((await pixels(page)).colours > 200, 'the canvas is not blank');
  assert.ok(await coloursBehindCanvas(page) > 200, 'the first picture lies behind the canvas');

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
  await nextFrames(page);
  const [names, numbers] = readFileSync(join(folder, 'at.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
  const at = (await where(page, 'left_toe')).world;
  for (const [k, axis] of ['x', 'y', 'z'].entries())
    assert.ok(Math.abs(at[k] - Number(numbers[names.indexOf(`left_toe.${axis}`)])) < 2e-5, `left_toe.${axis} at 2 s`);

  // Every layer changes the picture.
  for (const layer of ['joints', 'frames', 'reactions', 'centres', 'inertia', 'wire', 'trails', 'shadows', 'grid']) {
    const before = (await pixels(page)).hash;
    await page.evaluate((name) => document.querySelector(`input[data-toggle=${name}]`).click(), layer);
    assert.notEqual((await pixels(page)).hash, before, `the layer ${layer} acts`);
  }

  // A click names what it hits, with values.
  const {pixel} = await where(page, 'left_toe');
  await page.mouse.click(pixel[0], pixel[1]);
  await page.waitForSelector('.inspector:not([hidden])');
  assert.match(await page.locator('.inspector dl').innerText(), /position|force/);

  // Any column can be plotted; the theme turns.
  await page.locator('button[title="Plots (g)"]').click();
  await page.locator('.chooser input').fill('left_toe.z');
  await page.locator('.chooser input').press('Enter');
  assert.equal(await page.locator('.plot[data-title="left_toe.z"]').count(), 1);
  await page.locator('button[title="Dark or light (t)"]').click();
  await nextFrames(page);
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
  const {address} = replay('strandbeest', 'walk', '--duration', '6', '--sample', '0.05');
  for (const [width, height] of [[1400, 900], [1000, 680], [390, 844]]) {
    const page = await open(`${address}#still`, {width, height});
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

  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => window.catena.setTheme(name), theme);
    const faults = await page.evaluate(() => {
      const out = [];
      for (const item of document.querySelectorAll('button, input, select, canvas'))
        if (!(item.getAttribute('aria-label') || item.labels?.length || (item.tagName === 'BUTTON' && item.textContent.trim()))) out.push(`no name: ${item.outerHTML.slice(0, 80)}`);
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
  await nextFrames(page);
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

  // Another integrator while it runs, a parameter, and a ghost.
  await page.keyboard.press('p');
  await page.locator('.more summary').first().click();
  await page.locator('select[data-setting="settings integrator"]').selectOption('euler');
  await page.waitForFunction(() => document.querySelector('select[data-setting="settings integrator"]').value === 'euler');
  await page.locator('#ghost').check();
  await page.waitForFunction(() => document.querySelector('select[data-setting="ghost integrator"]'));
  const gravity = page.locator('input.slider[aria-label=gravity]');
  if (!(await gravity.isVisible())) await page.locator('.side summary', {hasText: 'Parameters'}).click();
  await gravity.fill('3');
  assert.equal(await page.locator('.slide', {hasText: 'gravity'}).locator('output').innerText(), '3 m/s²');
  const then = (await report(page)).time;
  await page.waitForFunction((t) => window.catena.report.time > t + 0.1, then);

  // Scrub back, then go on from there; then back to the start.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('p');
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
  await nextFrames(page);
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

await run({replayFromDisk, phone, framing, panels, contacts, live});

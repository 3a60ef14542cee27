// The panel, the plots, what is saved, surfaces, and the page at three sizes, in a real browser.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {folder, nextFrames, open, replay, report, root, run, saved, where} from './browser.mjs';

// A binary glTF file: a node for each body by name, and an animation that moves all of them over all frames.
function checkModel(glb, bodies, frames) {
  assert.equal(glb.subarray(0, 4).toString(), 'glTF');
  assert.equal(glb.readUInt32LE(8), glb.length);
  const json = JSON.parse(glb.subarray(20, 20 + glb.readUInt32LE(12)).toString());
  assert.deepEqual(json.nodes.slice(0, bodies.length).map(({name}) => name), bodies);
  const [{channels, samplers}] = json.animations;
  assert.equal(channels.length, 2 * bodies.length);
  for (const {input, output} of samplers) {
    assert.equal(json.accessors[input].count, frames);
    assert.equal(json.accessors[output].count, frames);
  }
  const end = Math.max(...json.bufferViews.map(({byteOffset, byteLength}) => byteOffset + byteLength));
  assert.equal(end, json.buffers[0].byteLength);
}

// The panel: names are found, chosen and shown with values; plots are read by the pointer; keys open and close what they name.
async function panelAndPlots() {
  const page = await open(`${replay('jansen_legs', 'legs', '--duration', '2').address}#paused`, {width: 1400, height: 900});
  assert.ok(await page.locator('.side').isVisible(), 'the panel is open where there is room');
  assert.match(await page.locator('.side').innerText(), /Method[\s\S]*Bodies and joints[\s\S]*Show[\s\S]*Legend/);
  await page.locator('input.search').fill('left_toe');
  assert.deepEqual(await page.locator('.entry span').allInnerTexts(), ['left_toe', 'left_toe_foot']);
  await page.waitForFunction(() => /m\/s/.test(document.querySelector('.entry b').textContent));
  await page.locator('.entry').first().click();
  assert.equal(await page.locator('.inspector h2').innerText(), 'left_toe');
  assert.equal(await page.locator('.entry').first().getAttribute('aria-pressed'), 'true');

  const values = () => page.locator('.plot .legend').first().innerText();
  const before = await values();
  const box = await page.locator('.plot canvas').first().boundingBox();
  await page.mouse.move(box.x + 0.8 * box.width, box.y + box.height / 2);
  await page.waitForFunction((text) => document.querySelector('.plot .legend').innerText !== text, before);
  await page.mouse.move(box.x + box.width / 2, 10);
  await page.waitForFunction((text) => document.querySelector('.plot .legend').innerText === text, before);

  await page.locator('canvas.scene').focus();
  for (const [key, what] of [['p', '.side'], ['g', '.plots']]) {
    const shown = await page.locator(what).isVisible();
    await page.keyboard.press(key);
    assert.equal(await page.locator(what).isVisible(), !shown, `${key} switches ${what}`);
    await page.keyboard.press(key);
  }
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const was = await theme();
  await page.keyboard.press('t');
  assert.notEqual(await theme(), was);
  await page.keyboard.press('Escape');
  assert.ok(!(await page.locator('.inspector').isVisible()), 'escape chooses nothing');
  assert.deepEqual(page.complaints, []);
  await page.close();
}

// Columns, a picture, a drawing of the plots and a model: each is what its name says.
async function saving() {
  const page = await open(`${replay('jansen_legs', 'legs', '--duration', '1').address}#paused`, {width: 1000, height: 680});
  const lines = (await saved(page, 'Columns')).toString().trim().split('\n');
  assert.equal(lines.length, 1 + (await report(page)).frames);
  assert.ok(lines.every((line) => line.split(',').length === lines[0].split(',').length));
  const png = await saved(page, 'Picture');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.length > 5000, 'the picture is not empty');
  const svg = (await saved(page, 'Drawing')).toString();
  for (const part of ['<svg', 'Joint angles', 'Energy', '<path', '>J<', '</svg>']) assert.ok(svg.includes(part), `the drawing has ${part}`);
  checkModel(await saved(page, 'Animated model'), await page.evaluate(() => window.catena.scene.bodies.map(({name}) => name)), (await report(page)).frames);
  assert.deepEqual(page.complaints, []);
  await page.close();
}

// A cloth is one surface and a chain one tube, and both are found under the pointer.
async function surfaces() {
  for (const [name, faces, body] of [['cloth', 800, 'p_10_10'], ['chain', 3 * 100 * 8 * 2, 'link50']]) {
    const {address} = replay(name, name, '--duration', '0.3', '--sample', '0.1');
    const page = await open(`${address}#still`, {width: 700, height: 500});
    await page.evaluate(() => window.catena.show(0.2));
    const drawn = await page.evaluate(() => window.catena.surfaces.group.children.map((mesh) => mesh.geometry.index.count / 3));
    assert.deepEqual(drawn, [faces], name);
    const {pixel} = await where(page, body);
    assert.equal(await page.evaluate(([x, y]) => window.catena.scene.bodies[window.catena.bodyAt(x, y)?.body ?? -1]?.name ?? '', pixel) !== '', true, `${name} is found under the pointer`);
    await page.screenshot({path: join(folder, `${name}.png`)});
    assert.deepEqual(page.complaints, []);
    await page.close();
  }
}

// A film of a short run.
async function film() {
  const page = await open(`${replay('four_bar', 'short', '--duration', '2').address}#paused`, {width: 480, height: 400});
  const video = await saved(page, 'Video');
  const kind = video.subarray(4, 8).toString() === 'ftyp' ? 'mp4' : video.readUInt32BE(0) === 0x1a45dfa3 ? 'webm' : 'none';
  assert.notEqual(kind, 'none', 'it is a film');
  assert.ok(video.length > 2000, 'with pictures in it');
  assert.deepEqual(page.complaints, []);
  await page.close();
}

// The brightness of a picture in squares of 20 pixels, 0 to 255: coarse enough for other fonts and other rounding of the renderer.
function brightness(page, picture) {
  return page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d', {willReadFrequently: true});
    context.drawImage(image, 0, 0);
    const rows = [];
    for (let y = 0; y + 20 <= image.height; y += 20) {
      const row = [];
      for (let x = 0; x + 20 <= image.width; x += 20) {
        const bytes = context.getImageData(x, y, 20, 20).data;
        let sum = 0;
        for (let i = 0; i < bytes.length; i += 4) sum += 0.2126 * bytes[i] + 0.7152 * bytes[i + 1] + 0.0722 * bytes[i + 2];
        row.push(Math.round(sum / 400));
      }
      rows.push(row);
    }
    return rows;
  }, `data:image/png;base64,${picture.toString('base64')}`);
}

// The page looks as it did when the pictures of tests/data/page were made (UPDATE=1 makes them anew): squares differ by 3 of 255 on average, at most.
// A panel that is missing, out of place or of another colour changes tens of squares by 20 and more. A screenshot may show the frame before the last one
// that was drawn, so what differs is looked at again.
async function looksAsBefore(page, name) {
  const file = join(root, 'tests/data/page', `${name}.json`);
  const look = async () => brightness(page, await page.screenshot({path: join(folder, `${name}.png`)}));
  if (process.env.UPDATE) writeFileSync(file, `[${(await look()).map((row) => JSON.stringify(row)).join(',\n')}]\n`);
  const before = JSON.parse(readFileSync(file, 'utf8'));
  let same = false;
  for (let attempt = 0; attempt < 10 && !same; ++attempt) {
    const now = await look();
    assert.deepEqual([now.length, now[0].length], [before.length, before[0].length], `the size of ${name}`);
    const differences = now.flatMap((row, y) => row.map((value, x) => Math.abs(value - before[y][x])));
    const mean = differences.reduce((sum, d) => sum + d, 0) / differences.length;
    const strong = differences.filter((d) => d > 40).length / differences.length;
    console.log(`${name}: differs by ${mean.toFixed(2)} of 255 on average, ${(100 * strong).toFixed(1)} % of it strongly`);
    same = mean < 3 && strong < 0.02;
    if (!same) await nextFrames(page);
  }
  assert.ok(same, `${name} does not look as before: ${join(folder, name)}.png`);
}

// At three sizes, dark and light: nothing that can be used is out of the window or cut off, and the page looks as before.
async function sizes() {
  const {file, address} = replay('tree127', 'tree', '--duration', '0.5');
  assert.ok(readFileSync(file).length < 2.5e6, 'a page with 127 bodies is small');
  for (const [width, height] of [[1400, 900], [1000, 680], [390, 844]])
    for (const theme of ['dark', 'light']) {
      const page = await open(`${address}#paused`, {width, height});
      console.log(`${width} x ${height}, ${theme}: first picture of 127 bodies after ${Math.round((await report(page)).firstPicture)} ms`);
      await page.evaluate((name) => window.catena.setTheme(name), theme);
      await nextFrames(page);
      const faults = await page.evaluate(() => [...document.querySelectorAll('header.title button, .transport *, .side summary')].flatMap((item) => {
        const box = item.getBoundingClientRect();
        if (box.width === 0 || !item.checkVisibility()) return [];
        const inside = box.left >= 0 && box.right <= innerWidth + 0.5 && box.top >= 0 && box.bottom <= innerHeight + 0.5;
        return inside ? [] : [`${item.tagName} ${item.getAttribute('aria-label') ?? item.textContent}: ${JSON.stringify(box)}`];
      }));
      assert.deepEqual(faults, [], `${width} x ${height} ${theme}`);
      await looksAsBefore(page, `page-${width}-${theme}`);
      assert.deepEqual(page.complaints, []);
      await page.close();
    }
}

// In the page: what cannot be named, read or tapped. Text over the scene stands on the scene's background.
function complaintsOfUse(scene) {
  const channels = (text) => text.match(/[\d.]+/g).map(Number);
  const over = ([r, g, b, alpha = 1], below) => [r, g, b].map((c, k) => alpha * c + (1 - alpha) * below[k]);
  const shade = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (item) => {
    const own = channels(getComputedStyle(item).backgroundColor);
    if ((own[3] ?? 1) === 1) return own;
    return over(own, item.parentElement ? ground(item.parentElement) : scene);
  };
  const shown = [...document.querySelectorAll('body *')].filter((item) => item.checkVisibility({opacityProperty: true, visibilityProperty: true}) && item.getBoundingClientRect().width > 0);
  const unnamed = shown.filter((item) => item.matches('button, input, select, a, summary, canvas, [role]')).flatMap((item) => {
    const name = item.getAttribute('aria-label') || item.title || item.labels?.[0]?.textContent || item.closest('label')?.textContent || item.textContent;
    return name?.trim() || item.getAttribute('aria-hidden') === 'true' ? [] : [`no name: ${item.outerHTML.slice(0, 100)}`];
  });
  const faint = shown.flatMap((item) => {
    const text = [...item.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent.trim()).join('');
    if (!text || item.closest(':disabled, [aria-disabled=true], [aria-hidden=true]')) return [];
    const style = getComputedStyle(item);
    const below = ground(item);
    const [light, dark] = [shade(over(channels(style.color), below)), shade(below)].sort((x, y) => y - x);
    const large = parseFloat(style.fontSize) >= (Number(style.fontWeight) >= 700 ? 18.66 : 24);
    const contrast = (light + 0.05) / (dark + 0.05);
    return contrast >= (large ? 3 : 4.5) ? [] : [`contrast ${contrast.toFixed(2)}: ${text.slice(0, 40)} (${item.className || item.tagName})`];
  });
  const small = shown.filter((item) => item.matches('button, summary, input[type=checkbox], input[type=range]')).flatMap((item) => {
    const box = (item.closest('label') ?? item).getBoundingClientRect();
    return Math.min(box.width, box.height) >= 24 ? [] : [`${Math.round(box.width)} x ${Math.round(box.height)} pixels: ${item.outerHTML.slice(0, 100)}`];
  });
  return [...unnamed, ...faint, ...small];
}

// What Lighthouse asks of a page and does not depend on the machine, with a body chosen, the plots and the help open: names, contrast (4.5, of large
// letters 3), targets of 24 pixels, language, title, a width of its own on phones.
async function usable() {
  const {address} = replay('jansen_legs', 'legs', '--duration', '2');
  for (const [width, height] of [[1400, 900], [390, 844]])
    for (const theme of ['dark', 'light']) {
      const page = await open(`${address}#paused`, {width, height});
      assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.title !== '', document.querySelector('meta[name=viewport]')?.content.includes('width=device-width')]), ['en', true, true]);
      await page.evaluate((name) => window.catena.setTheme(name), theme);
      if (await page.locator('.side').isHidden()) await page.keyboard.press('p');
      await page.locator('input.search').fill('left_toe');
      await page.locator('.entry').first().click();
      await nextFrames(page);
      const scene = await page.evaluate(() => window.catena.stage.scene.background.getStyle().match(/[\d.]+/g).map(Number));
      assert.deepEqual(await page.evaluate(complaintsOfUse, scene), [], `${width} x ${height}, ${theme}`);
      await page.keyboard.press('?');
      await nextFrames(page);
      assert.deepEqual(await page.evaluate(complaintsOfUse, scene), [], `${width} x ${height}, ${theme}, help`);
      await page.close();
    }
}

await run({panelAndPlots, saving, surfaces, film, sizes, usable});

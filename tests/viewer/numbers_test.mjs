// Numbers as the page writes them: node numbers_test.mjs.
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const viewer = join(dirname(fileURLToPath(import.meta.url)), '../../viewer');
const {buildSync} = createRequire(join(viewer, 'package.json'))('esbuild');
const folder = mkdtempSync(join(tmpdir(), 'catena-numbers-'));
buildSync({entryPoints: [join(viewer, 'src/numbers.ts')], outfile: join(folder, 'numbers.mjs'), format: 'esm'});
const {figure, quantity} = await import(pathToFileURL(join(folder, 'numbers.mjs')).href);
rmSync(folder, {recursive: true});

for (const [x, text] of [[0, '0'], [-0, '0'], [1, '1'], [0.5, '0.5'], [-2.3456, '−2.35'], [12345, '12300'], [100, '100'], [1e5, '10⁵'], [-2.5e-7, '−2.5·10⁻⁷'], [5.41e-4, '5.41·10⁻⁴'], [Number.NaN, '–'], [1 / 3, '0.333'], [999.9, '1000']])
  assert.equal(figure(x), text, `figure(${x})`);
for (const [values, unit, text] of [
  [[0], 'm', '0 m'], [[1e-17, 0], 'm', '0, 0 m'], [[0.0012], 'm', '1.2 mm'], [[35], 'N', '35 N'], [[0.2], 'm', '0.2 m'], [[-35e-3, 1e-9, 1.2e-3], 'm', '−35, 0, 1.2 mm'], [[1500], 'N', '1.5 kN'],
  [[1500], 'm', '1500 m'], [[2e-6], 'J', '2 µJ'], [[0.999999], 'N', '1 N'], [[0.001], 's', '1 ms'], [[2.5e-4], 's', '250 µs'], [[3], 's', '3 s'], [[0.5], 'rad', '0.5 rad'], [[-2.89e-4], 'rad', '−289 µrad'], [[5e-3], 'rad/s', '5 mrad/s'], [[0.5, 0.25], '', '0.5, 0.25'],
])
  assert.equal(quantity(values, unit), text, `quantity(${values}, ${unit})`);
console.log('numbers: good');

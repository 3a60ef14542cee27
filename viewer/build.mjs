// Bundles the page: node build.mjs OUT_FOLDER writes page.js, page.css and page.cpp, the same two as bytes the program carries.
// The bytes depend on the sources and the lock file only.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist');
mkdirSync(out, {recursive: true});

await build({
  absWorkingDir: here,
  entryPoints: {page: 'src/main.ts'},
  outdir: out,
  bundle: true,
  minify: true,
  charset: 'utf8',
  format: 'iife',
  target: ['es2022'],
  legalComments: 'none',
  logLevel: 'warning',
});

// A C++ string literal of any bytes, in lines that editors and compilers bear.
function literal(bytes) {
  const lines = [];
  let line = '';
  for (const byte of bytes) {
    const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
    line += plain ? String.fromCharCode(byte) : '\\' + byte.toString(8).padStart(3, '0');
    if (line.length >= 4000) {
      lines.push(line);
      line = '';
    }
  }
  lines.push(line);
  return lines.map((text) => `    "${text}"`).join('\n');
}

function asset(name, file) {
  const bytes = readFileSync(join(out, file));
  return `std::string_view ${name}() {\n  static constexpr char kBytes[] =\n${literal(bytes)};\n  return {kBytes, ${bytes.length}};\n}\n`;
}

writeFileSync(join(out, 'page.cpp'), `// Made by viewer/build.mjs.
#include "catena/record/page.h"

namespace catena {

${asset('page_script', 'page.js')}
${asset('page_style', 'page.css')}
}  // namespace catena
`);

// Fetches the packages of the lock file, unless viewer/node_modules holds exactly these already: then no network is needed.
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const read = (file) => JSON.parse(readFileSync(join(here, file), 'utf8')).packages;

// npm leaves a list of what it installed; packages for other systems are not in it.
function installed() {
  if (!existsSync(join(here, 'node_modules/.package-lock.json'))) return false;
  const there = read('node_modules/.package-lock.json');
  return Object.entries(read('package-lock.json')).every(([path, wanted]) => {
    const found = there[path];
    if (path === '' || (wanted.optional && !found)) return true;
    return found?.version === wanted.version && found.integrity === wanted.integrity && existsSync(join(here, path, 'package.json'));
  });
}

if (!installed()) execFileSync(process.argv[2] ?? 'npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {cwd: here, stdio: 'inherit'});

#!/usr/bin/env node
// The program behind every npm command: node tools/run.mjs COMMAND [arguments]
// It is plain JavaScript without dependencies, because it installs them: it goes on in the Node of tools/node.json when it was started in
// another one, runs `npm ci` when the installed packages are not those of the lockfile, builds, and then runs tools/src/COMMAND/main.ts or
// the product's own command line in apps/cli.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPinned, NodeFault, runPinned } from './node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PRODUCT_COMMANDS = { codase: 'bundle/cli.mjs', operator: 'bundle/operator.mjs' };
const [command, ...args] = process.argv.slice(2);

// Servers and services are stopped by signals to groups of processes, which Windows does not have.
if (process.platform === 'win32')
  fail(
    'Windows cannot run this by itself: install WSL (https://learn.microsoft.com/windows/wsl) and run the command there, in a new clone.',
  );
if (isPinned()) await runCommand();
else goOn();

async function runCommand() {
  if (!installed()) install();
  const { build } = await import('./build.mjs');
  await build();
  if (command === 'build') return;
  const main = join(root, PRODUCT_COMMANDS[command] ?? `tools/dist/${command}/main.js`);
  if (!command || !existsSync(main)) fail(`There is no command '${command ?? ''}'. package.json lists them under "scripts".`);
  process.argv = [process.argv[0], main, ...args];
  await import(main);
}

/** Runs this program again, in the Node that is pinned. */
function goOn() {
  try {
    runPinned([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
  } catch (fault) {
    if (!(fault instanceof NodeFault)) throw fault;
    fail(fault.message);
  }
}

/** Whether every package of the lockfile that this machine needs is installed in that version. */
function installed() {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const have = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  const want = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(want).every(
    ([path, { version, optional, link }]) =>
      path === '' || optional || !path.includes('node_modules/') || (link ? path in have : have[path]?.version === version),
  );
}

/**
 * Installs the packages and runs none of their install scripts: programs come as packages of their own for each system, and nothing has to
 * be built. `npm test` refuses a package with such a script that package.json does not name.
 */
function install() {
  console.error('installing dependencies (npm ci, without their install scripts) …');
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0)
    fail(
      `npm ci did not finish${error ? ` (${error.message})` : ''}: see its message above. Is the npm registry reachable, and is there ` +
        'room on the disk?',
    );
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

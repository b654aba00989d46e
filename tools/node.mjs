// Finds the Node that runs the commands: the release line of tools/node.json. Any other Node from 18 on fetches that one from the npm
// registry, once for all clones of a user, and runs the command in it. Like run.mjs, this file has no dependencies and loads in Node 18.
// See docs/decisions/0129.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { version: PINNED, packages: PACKAGES } = JSON.parse(readFileSync(join(root, 'tools/node.json'), 'utf8'));
const LINE = lineOf(PINNED);
const OLDEST_LINE = 18;
/** With this variable a command runs in the Node that is there: `test-nodes` sets it for the tests of other release lines. */
const KEEPS_NODE = 'CODASE_KEEP_NODE';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
const PARENT_CHECK_MS = 500;
const HOUR_MS = 3_600_000;

/** Why the pinned Node cannot be had, and what to do about it. */
export class NodeFault extends Error {}

/** Whether this process runs in a Node of the pinned release line, or was told to do with another one. */
export const isPinned = () => lineOf(process.versions.node) === LINE || process.env[KEEPS_NODE] === '1';

/** Runs a program in the pinned Node, which is fetched first when it is not there. This process then ends as the program does. */
export function runPinned(args) {
  const here = process.versions.node;
  if (lineOf(here) < OLDEST_LINE) throw new NodeFault(`Node ${here} is too old to fetch another one: ${byHand()}`);
  const folder = join(downloadsFolder(root), 'node');
  const node = programIn(folder);
  const isThere = existsSync(node);
  console.error(
    isThere
      ? `Node ${here} is another release line: this runs in Node ${PINNED} of ${folder}`
      : `Node ${here} is another release line: fetching Node ${PINNED} from the npm registry into ${folder} (60 MB, once) …`,
  );
  if (!isThere) fetchNode(folder);
  follow(spawn(node, args, { stdio: 'inherit', env: environmentOf(node) }));
}

/**
 * Fetches the pinned Node into the folder and returns its program. The download is compared with tools/node.json before anything of it is
 * unpacked, and the finished folder is renamed into its place, so a killed or a second fetch does no harm.
 */
export function fetchNode(folder, wanted = PACKAGES[platform()]) {
  if (!wanted) throw new NodeFault(`There is no Node ${PINNED} for ${platform()} in the npm registry: ${byHand()}`);
  const work = workFolderIn(folder);
  try {
    const spec = `${wanted.name}@${PINNED}`;
    const packed = run('npm', ['pack', spec, '--pack-destination', work, '--silent', '--loglevel=error'], 'Is the npm registry reachable?');
    const tarball = join(work, packed.trim().split('\n').pop());
    const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (found !== wanted.integrity)
      throw new NodeFault(`${spec} is ${found}, and tools/node.json names ${wanted.integrity}: do not use this npm registry.`);
    run('tar', ['-xzf', tarball, '-C', work, 'package/bin/node', 'package/LICENSE'], 'Is there room on the disk?');
    const runs = spawnSync(join(work, 'package/bin/node'), ['--version'], { encoding: 'utf8' });
    if (runs.stdout?.trim() !== `v${PINNED}`)
      throw new NodeFault(`Node ${PINNED} of the npm registry does not run on this system (${reasonOf(runs)}): ${byHand()}`);
    install(join(work, 'package'), join(folder, nameOf()));
    return programIn(folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Returns the folder in which downloaded programs of others stay, outside of the clone. It is the one of `downloadsFolder` in dev/servers,
 * which cannot be loaded before the packages are installed.
 */
export function downloadsFolder(clone, env = process.env, home = homedir()) {
  const { XDG_CACHE_HOME: cache } = env;
  const folder = join(cache && isAbsolute(cache) ? cache : join(home, '.cache'), 'company-data-service');
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return join(clone, '.cache');
  }
}

/** Runs a program and returns its output. `hint` is the likely cause when the program fails and says nothing. */
function run(program, args, hint) {
  const ended = spawnSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (ended.status === 0) return ended.stdout;
  throw new NodeFault(`Node ${PINNED} cannot be fetched: ${program} ${args[0]} failed (${reasonOf(ended)}). ${hint} Or ${byHand()}`);
}

const reasonOf = ({ error, stderr, status, signal }) =>
  error?.message ?? (stderr?.trim().split('\n').slice(0, 3).join(' ') || `exit ${status ?? signal}`);

/** Makes a folder for one fetch, and removes those of fetches that were killed. */
function workFolderIn(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('fetch-'))) {
    const left = statSync(join(folder, name), { throwIfNoEntry: false });
    if (left && Date.now() - left.mtimeMs > HOUR_MS) rmSync(join(folder, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(folder, 'fetch-'));
}

/** Renames the unpacked folder into its place. When another command was faster, its folder stays. */
function install(unpacked, place) {
  try {
    renameSync(unpacked, place);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  }
}

/** The environment in which `node` is this one, for scripts of npm and for child processes. */
function environmentOf(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  for (const name of ['NODE', 'npm_node_execpath']) if (name in env) env[name] = node;
  return env;
}

/**
 * Passes signals on to the child process, and ends as it ends. Below npm, this process also ends when its parent is gone, which the child
 * process notices in the same way.
 */
function follow(child) {
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event !== undefined) setInterval(() => process.ppid !== parent && process.exit(1), PARENT_CHECK_MS).unref();
  child.once('exit', (code, signal) => {
    for (const each of SIGNALS) process.off(each, passOn);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
}

function lineOf(version) {
  return Number(version.split('.')[0]);
}

/** The system as tools/node.json names it. The packages need the C library of GNU, which Alpine does not have. */
function platform() {
  const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

const nameOf = () => `${PINNED}-${process.platform}-${process.arch}`;
const programIn = (folder) => join(folder, nameOf(), 'bin/node');
const byHand = () => `install Node ${LINE} (https://nodejs.org) and run the command again.`;

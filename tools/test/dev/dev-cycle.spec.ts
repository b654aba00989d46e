import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { freePort } from '@codase/servers';
import { build } from '../../build.mjs';
import { ROOT } from '../../src/command/root.ts';
import { DevCycle } from '../../src/dev/cycle.ts';
import { projectsIn } from '../../src/dev/projects.ts';
import { watchedUnits } from '../../src/dev/watched.ts';
import { openStateFolder } from '../../src/start/state-folder.ts';
import { Supervisor } from '../../src/start/supervisor.ts';
import { eventually } from '../start/played-services.ts';

const MAIN = `import { serve } from './serve.ts';\nserve();\n`;
const SERVE = `
import { createServer } from 'node:http';
import { word } from '@dev/words';
export function serve(): void {
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
  createServer((_, response) => response.end(word)).listen(Number(process.env.OPS_PORT), '127.0.0.1');
}
`;
const words = (word: string) => `export const word: string = '${word}';\n`;
const project = (name: string) => ({ name, type: 'module', exports: './dist/main.js', dependencies: { '@dev/words': '*' } });

/** A checkout with a service that is watched and one that is not, both built from one library. */
describe('a watched service', () => {
  let dir: string;
  let supervisor: Supervisor;
  let cycle: DevCycle;
  let port: number;
  let said: string[];
  const save = (file: string, text: string) => {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
  };
  const buildHere = (folders: readonly string[]) => build(folders.map((folder) => relative(ROOT, join(dir, folder))));
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'codase-dev-'));
    save('package.json', JSON.stringify({ workspaces: ['apps/*', 'node_modules/@dev/words'] }));
    for (const app of ['watched', 'other']) {
      save(`apps/${app}/package.json`, JSON.stringify(project(app)));
      save(`apps/${app}/src/main.ts`, MAIN);
      save(`apps/${app}/src/serve.ts`, SERVE);
    }
    save('node_modules/@dev/words/package.json', JSON.stringify({ ...project('@dev/words'), dependencies: {} }));
    save('node_modules/@dev/words/src/main.ts', words('first'));
    const projects = projectsIn(dir);
    await buildHere(projects.map(({ folder }) => folder));
    port = await freePort();
    const unit = (name: string, opsPort: number) => ({
      name,
      entry: join(dir, `apps/${name}/dist/main.js`),
      opsPort,
      env: { OPS_PORT: String(opsPort) },
    });
    const services = watchedUnits([unit('watched', port)], { root: dir, projects, programs: {} });
    const { logs, pids } = openStateFolder(join(dir, 'state'));
    said = [];
    const say = (line: string) => void said.push(line);
    supervisor = new Supervisor(
      [...services.map((service) => service.unit), unit('other', await freePort())],
      { cwd: dir, logs, pids },
      say,
    );
    await supervisor.start();
    cycle = new DevCycle(services, { root: dir, supervisor, build: buildHere, say });
  });
  afterAll(async () => {
    await cycle.stop();
    await supervisor.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    said.length = 0;
  });
  const answer = async () => (await fetch(`http://127.0.0.1:${port}`)).text();
  const pidOf = (name: string) => supervisor.running.find(({ unit }) => unit.name === name)?.pid;
  const says = (part: string) => eventually(part, () => said.some((line) => line.includes(part)));

  it('is restarted when a library that it is built from changes, and nothing else is', async () => {
    const [before, other] = [pidOf('watched'), pidOf('other')];
    save('node_modules/@dev/words/src/main.ts', words('second'));
    await says('ready after');

    expect(said).toEqual([
      expect.stringMatching(/^watched: node_modules\/@dev\/words\/src\/main\.ts changed; built in \d+ ms, ready after \d+ ms\.$/),
    ]);
    expect(await answer()).toBe('second');
    expect(pidOf('watched')).not.toBe(before);
    expect(pidOf('other')).toBe(other);
  });

  it('goes on when a source does not build, and the report names file and line', async () => {
    const before = pidOf('watched');
    save('node_modules/@dev/words/src/main.ts', 'export const word =\n\n;');
    await says('not built, so not restarted: watched.');

    expect(said.join('\n')).toMatch(/words\/src\/main\.ts:3:1\]/);
    expect([await answer(), pidOf('watched')]).toEqual(['second', before]);
  });

  it('goes on when its code cannot be loaded', async () => {
    const before = pidOf('watched');
    save('node_modules/@dev/words/src/main.ts', 'export const words = 1;');
    await says('but it cannot be loaded, so it is not restarted.');

    expect(said.join('\n')).toContain("does not provide an export named 'word'");
    expect([await answer(), pidOf('watched')]).toEqual(['second', before]);
  });

  it('stays down when its code does not start, and comes back with the next change', async () => {
    save('apps/watched/src/main.ts', `throw new Error('no such setting');`);
    save('node_modules/@dev/words/src/main.ts', words('third'));
    await says('watched stays down until the next change of its sources.');
    expect(said.join('\n')).toContain('no such setting');
    expect(pidOf('watched')).toBeUndefined();

    save('apps/watched/src/main.ts', MAIN);
    await says('ready after');
    expect(await answer()).toBe('third');
  });
});

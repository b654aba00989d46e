import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { services } from '@codase/contracts';
import { eventually, World } from '@codase/testing';
import { ROOT } from '../../src/command/root.ts';
import { PACKED, packPackages } from '../../src/pack/pack-packages.ts';

const run = promisify(execFile);

/** A folder outside the repository, so that no folder above it has a node_modules. */
let folder: string;
let project: string;
let tarballs: string[];

/** Every third-party package that ours need, however indirectly, as it is installed here, so that the test asks no registry. */
function packagesOfOthers(names: readonly string[], found = new Map<string, string>()): Map<string, string> {
  for (const name of names) {
    const path = join(ROOT, 'node_modules', name);
    if (found.has(name) || name.startsWith('@codase/')) continue;
    found.set(name, path);
    const { dependencies = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { dependencies?: object };
    packagesOfOthers(Object.keys(dependencies), found);
  }
  return found;
}

const dependenciesOf = (lib: string): string[] => {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'stage', lib, 'package.json'), 'utf8')) as { dependencies: object };
  return Object.keys(dependencies);
};

/** Whether the project has the package that a module name belongs to. `pg` always counts, because a service may bring it. */
const isInstalled = (name: string): boolean =>
  name.startsWith('node:') ||
  name === 'pg' ||
  existsSync(join(project, 'node_modules', name.split('/', name.startsWith('@') ? 2 : 1).join('/')));

/** Makes a project as `npm init` and `npm install TARBALLS` leave it. */
async function freshProject(): Promise<void> {
  cpSync(join(import.meta.dirname, 'fresh-project'), project, { recursive: true });
  const ours = PACKED.map((lib, i) => [`@codase/${lib}`, `file:${tarballs[i]}`]);
  const others = packagesOfOthers([...PACKED.flatMap(dependenciesOf), '@types/node', '@types/pg']);
  const dependencies = Object.fromEntries([...ours, ...[...others].map(([name, path]) => [name, `file:${path}`])]) as object;
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'fresh', private: true, type: 'module', dependencies }));
  const compilerOptions = { target: 'ES2023', module: 'NodeNext', strict: true, skipLibCheck: true, types: ['node'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'], { cwd: project });
}

describe('the packages that companies install', () => {
  let world: World;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'codase-packed-'));
    project = join(folder, 'project');
    tarballs = await packPackages(ROOT, join(folder, 'stage'), join(folder, 'tarballs'));
    await freshProject();
    world = await World.open({ units: ['front-door', 'region-eu', 'gateway', 'feed-consumer', 'decryptor'] });
  });
  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('contain code and declarations for every entry, and do not depend on the runtime library', () => {
    for (const lib of PACKED) {
      const packed = join(project, 'node_modules/@codase', lib);
      const { exports } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as {
        exports: Record<string, Record<string, string>>;
      };
      const missing = Object.values(exports).flatMap(({ types, default: code }) =>
        [types!, code!].filter((file) => !existsSync(join(packed, file))),
      );
      expect(missing).toEqual([]);
    }
    expect(existsSync(join(project, 'node_modules/@codase/runtime'))).toBe(false);
  });

  it('import only modules that exist in their declarations, because the compiler treats others as any', () => {
    for (const lib of PACKED) {
      const packed = join(project, 'node_modules/@codase', lib);
      const files = readdirSync(packed, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
      const missing = files.flatMap((file) =>
        [...readFileSync(join(packed, file), 'utf8').matchAll(/(?:\bfrom |\bimport\()['"]([^'"]+)['"]/g)]
          .map(([, name]) => name!)
          .filter(
            (name) => !(name.startsWith('.') ? existsSync(join(packed, file, '..', name.replace(/\.js$/, '.d.ts'))) : isInstalled(name)),
          )
          .map((name) => `${file}: ${name}`),
      );
      expect([files.length > 5, missing]).toEqual([true, []]);
    }
  });

  it('type-check and run in a separate project, against a running stack', async () => {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project, '--checkers', '1']).catch(
      (error: { stdout: string }) => {
        throw new Error(error.stdout);
      },
    );
    const params = { id: world.shop.service_id! };
    const { config_token } = await world.acme.asks(services.readOwnRequestFields, { params });
    await world.acme.asks(services.publishRequestFields, {
      params,
      body: { config_token, fields: [{ slug: 'mail', label: 'E-mail', type: 'email' }] },
    });
    const ana = world.person('ANA');
    await ana.fields.edits('email', 'ana@lind.example');
    await ana.connections.connects('ACME/SHOP', { mail: { text: 'ana@lind.example', from: 'email' } });

    const { url, user, password } = world.internalAddress;
    const env = { PATH: process.env.PATH, CODASE_URL: url, CODASE_USER: user, CODASE_PASSWORD: password };
    const service = spawn(process.execPath, ['main.js'], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let faults = '';
    service.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    service.stderr.on('data', (chunk: Buffer) => (faults += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => service.once('exit', resolve));
    const said = () => output.split('\n').flatMap((line) => (line.startsWith('{"what"') ? [JSON.parse(line) as { what: string }] : []));
    await eventually(async () => {
      if (service.exitCode !== null) throw new Error(faults);
      return said().find(({ what }) => what === 'listening');
    });
    await ana.fields.edits('email', 'new@lind.example');

    expect(await ended).toBe(0);
    expect(said()).toEqual([
      { what: 'sealed', opened: 'a word', refused: true },
      { what: 'who am I', service_id: 'string' },
      { what: 'refused', refusal: 'company_data.connection_not_found' },
      { what: 'listening' },
      { what: 'heard', slug: 'mail', plaintext: 'new@lind.example', on: 'FEED' },
    ]);
  });
});

import { build } from 'esbuild';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { contactData, discovery } from '@codase/contracts';
import { World } from '@codase/testing';
import { inTempTree } from '@codase/testing/temp-tree';
import { STORIES } from './generated-client-stories.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const MODULES = join(ROOT, 'node_modules');
const GENERATE = fileURLToPath(new URL('generate-clients.mjs', import.meta.url));

/** Strict settings that name nothing of this repository. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  files: ['0.ts', '1.ts'],
};

/** Runs a program and returns its output. Throws an error with all that it printed when it fails. */
async function run(file: string, args: string[], cwd: string, env = process.env): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, [file, ...args], { cwd, env, maxBuffer: 2 ** 24 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${file} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;

/** Prints the customers as the backend stores them, opened. */
const CUSTOMERS =
  "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('select slug, value from customer order by 1'), sep='\\n')";

/** Lets the events that the backend has seen grow older by some days. Prints how many there are. */
const DAYS_LATER =
  "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute(f'update seen set seen_at = seen_at - 86400 * {sys.argv[2]}'); " +
  "db.commit(); print(db.execute('select count(*) from seen').fetchone()[0])";

describe('clients that know only the API document', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
  });
  afterAll(() => world?.close());

  // Without Python the example is not tried, and the name of the test in its place says so.
  if (hasPython)
    it("a Python backend stores a service's customers, follows their changes, and resumes after a restart @spec D1-4.3 @spec D1-2.3", () => {
      const { shop } = world;
      return inTempTree({ 'key.pem': shop.keys.pem, passphrase: shop.keys.passphrase }, async (dir) => {
        const env = {
          ...process.env,
          PYTHONDONTWRITEBYTECODE: '1',
          CODASE_FRONT_DOOR: world.frontDoorUrl,
          CODASE_CLIENT_ID: shop.client_id,
          CODASE_CLIENT_SECRET: shop.client_secret,
          CODASE_KEY_FILE: join(dir, 'key.pem'),
          CODASE_PASSPHRASE_FILE: join(dir, 'passphrase'),
          CODASE_DATABASE: join(dir, 'customers.db'),
        };
        const python = async (...args: string[]) => (await promisify(execFile)('python3', args, { env })).stdout.trim().split('\n');
        const runs = () => python(join(ROOT, 'examples/python-backend/backend.py'), '--once');
        const customers = () => python('-c', CUSTOMERS, env.CODASE_DATABASE);

        await world.acme.services.publishesRequest(shop.service_id!, [{ slug: 'email', label: 'E-mail', type: 'email' }]);
        const ana = world.person('ANA');
        const connection = await ana.connections.connects('ACME/SHOP', { email: { text: 'ana@example.com', from: 'email' } });
        expect(await runs()).toEqual([`service ${shop.service_id}`, 'connection_created']);
        expect(await customers()).toEqual(["('email', 'ana@example.com')"]);

        await ana.fields.edits('email', 'ana@moved.example');
        expect(await runs()).toEqual([expect.stringContaining('service'), 'field_updated email']);
        expect(await customers()).toEqual(["('email', 'ana@moved.example')"]);

        const value = await ana.sealsFor(ana, 'sealed to another key');
        const copies = [{ connection_id: connection.id, slug: 'email', value }];
        await ana.asks(contactData.putContactData, { params: { slug: 'email' }, body: { value, is_private: true, copies } });
        expect((await runs()).slice(1)).toEqual([`a value does not open: ${ana.user_id} email`, 'field_updated email']);
        expect(await customers()).toEqual(['']);

        expect(await python('-c', DAYS_LATER, env.CODASE_DATABASE, '7')).toEqual(['3']);
        await runs();
        expect(await python('-c', DAYS_LATER, env.CODASE_DATABASE, '2')).toEqual(['3']);
        await runs();
        expect(await python('-c', DAYS_LATER, env.CODASE_DATABASE, '0')).toEqual(['0']);

        await ana.connections.disconnects(connection);
        expect(await runs()).toEqual([expect.stringContaining('service'), 'connection_deleted']);
        expect(await customers()).toEqual(['']);
      });
    });
  else
    it('the Python example is not run, because python3 with the package cryptography was not found', () => {
      expect(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).toContain('python3-cryptography');
    });

  it('generated clients of two generators compile strictly, and run the story of a service client @spec D1-4.1 @spec D1-4.2 @spec D1-5.6', async () => {
    const { shop, frontDoorUrl } = world;
    await world.person('ANA').connections.connects('ACME/SHOP');
    const document = await world.stranger.asks(discovery.openapiDocument, {});
    const stories = Object.values(STORIES);
    const files = Object.fromEntries(stories.map((story, i) => [`${i}.ts`, story]));
    const env = { ...process.env, FRONT_DOOR: frontDoorUrl, CLIENT_ID: shop.client_id, CLIENT_SECRET: shop.client_secret };

    const reported = await inTempTree({ ...files, 'package.json': '{"type":"module"}' }, async (dir) => {
      writeFileSync(join(dir, 'openapi.json'), JSON.stringify(document));
      writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG));
      symlinkSync(MODULES, join(dir, 'node_modules'));
      await run(GENERATE, [join(dir, 'openapi.json'), dir], dir);
      await run(join(MODULES, 'typescript/bin/tsc'), ['-p', '.', '--checkers', '1'], dir);
      const entryPoints = stories.map((_, i) => join(dir, `${i}.ts`));
      await build({ entryPoints, outdir: dir, outExtension: { '.js': '.mjs' }, bundle: true, platform: 'node', format: 'esm' });
      return Promise.all(stories.map(async (_, i) => JSON.parse(await run(join(dir, `${i}.mjs`), [], dir, env)) as unknown));
    });

    const { display_name } = world.person('ANA');
    const story = { service_id: shop.service_id, customers: [display_name], events: ['connection_created'], isLeased: true };
    expect(reported).toEqual(stories.map(() => ({ ...story, belongsTo: world.regionUrl('eu') })));
  });
});

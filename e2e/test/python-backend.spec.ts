import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { World } from '@cds/testing';
import { inTempTree } from '@cds/testing/temp-tree';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;

/** Customers as the backend keeps them, opened. */
const CUSTOMERS =
  "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('select slug, value from customer order by 1'), sep='\\n')";

// Without Python nothing of the example is tried, and the run says so by the name of its only test.
if (hasPython)
  describe('a backend in Python, from the API document and the guide alone @spec D1-4.3 @spec D1-2.3 @spec D1-5.2', () => {
    let world: World;
    beforeAll(async () => {
      world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    });
    afterAll(() => world?.close());

    it('learns the customers of a service, follows their changes, and goes on where it was when it is started again', () => {
      const { shop } = world;
      return inTempTree({ 'key.pem': shop.keys.pem, passphrase: shop.keys.passphrase }, async (dir) => {
        const env = {
          ...process.env,
          PYTHONDONTWRITEBYTECODE: '1',
          CDS_FRONT_DOOR: world.frontDoorUrl,
          CDS_CLIENT_ID: shop.client_id,
          CDS_CLIENT_SECRET: shop.client_secret,
          CDS_KEY_FILE: join(dir, 'key.pem'),
          CDS_PASSPHRASE_FILE: join(dir, 'passphrase'),
          CDS_DATABASE: join(dir, 'customers.db'),
        };
        const python = async (...args: string[]) => (await promisify(execFile)('python3', args, { env })).stdout.trim().split('\n');
        const runs = () => python(join(ROOT, 'examples/python-backend/backend.py'), '--once');
        const customers = () => python('-c', CUSTOMERS, env.CDS_DATABASE);

        await world.acme.services.publishesRequest(shop.service_id!, [{ slug: 'email', label: 'E-mail', type: 'email' }]);
        const ana = world.person('ANA');
        const connection = await ana.connections.connects('ACME/SHOP', { email: { text: 'ana@example.com', from: 'email' } });
        expect(await runs()).toEqual([`service ${shop.service_id}`, 'connection_created']);
        expect(await customers()).toEqual(["('email', 'ana@example.com')"]);

        await ana.fields.edits('email', 'ana@moved.example');
        expect(await runs()).toEqual([expect.stringContaining('service'), 'field_updated email']);
        expect(await customers()).toEqual(["('email', 'ana@moved.example')"]);

        await ana.connections.disconnects(connection);
        expect(await runs()).toEqual([expect.stringContaining('service'), 'connection_deleted']);
        expect(await customers()).toEqual(['']);
      });
    }, 120_000);
  });
else
  it('finds no python3 with the package cryptography here: the example in Python was not run', () => {
    expect(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).toContain('python3-cryptography');
  });

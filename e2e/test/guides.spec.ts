import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { World } from '@codase/testing';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** The shell blocks of pages that go on from each other, as one script that ends at the first command that fails. */
function scriptOf(pages: readonly string[]): string {
  const text = pages.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  return ['set -euo pipefail', ...blocks].join('\n');
}

describe('the guides', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
  });
  afterAll(() => world?.close());

  /** What pages print when their blocks are run. */
  async function run(...pages: string[]): Promise<string[]> {
    const { url, user, password } = world.addressOf('platform-operator');
    const env = { ...process.env, FRONT_DOOR: world.frontDoorUrl, NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password };
    const { stdout } = await promisify(execFile)('bash', ['-c', scriptOf(pages)], { cwd: ROOT, env });
    return stdout.trim().split('\n');
  }

  it('work as written from nothing to the first opened value @spec D1-4.1 @spec D1-4.3 @spec D1-2.3 @spec D1-2.4 @spec D1-5.1', async () => {
    const lines = await run('docs/guides/first-value.md', 'docs/guides/photos.md');

    expect(lines).toEqual(expect.arrayContaining([expect.stringContaining('has the level basic'), 'eu,us', 'connection_created']));
    expect(lines.slice(-10, -5)).toEqual(['shared: ana@example.com', 'email', 'updated: ana@moved.example', 'client_secret', 'Bearer']);
    expect(lines.slice(-5)).toEqual(['1', 'both', 'true', 'image/png', 'null']); // photos
  });

  it('work as written for the settings of an operator', async () => {
    expect(await run('docs/guides/operating.md')).toEqual(['The registry has the type membership_number.']);
  });
});

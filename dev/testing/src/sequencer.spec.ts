import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const LONG_FILES = require('../jest/long-files.json') as Record<string, number>;
const Sequencer = require('../jest/sequencer.cjs') as new (options: object) => { sort(tests: object[]): { path: string }[] };

const rootDir = fileURLToPath(new URL('../../..', import.meta.url));
/** A test as Jest gives it to a sequencer. */
const test = (file: string) => ({ path: join(rootDir, file), context: { config: { rootDir }, hasteFS: { getSize: () => 1 } } });

/** The sequencer in a fresh clone, where no file was measured. */
class FreshSequencer extends Sequencer {
  time() {
    return undefined;
  }
  hasFailed() {
    return false;
  }
}

const order = (...files: string[]) =>
  new FreshSequencer({ contexts: [], globalConfig: {} }).sort(files.map(test)).map(({ path }) => path.slice(rootDir.length));

describe('the order of spec files', () => {
  const [longest, second] = Object.keys(LONG_FILES) as [string, string];

  it('runs long files first, then files that need servers, then the others', () => {
    const small = 'libs/crypto/src/bytes.spec.ts';
    const onServers = 'libs/runtime/test/http-server.spec.ts';

    expect(order(small, onServers, second, longest)).toEqual([longest, second, onServers, small]);
  });

  it('lists only long files that exist', () => {
    expect(Object.keys(LONG_FILES).filter((file) => !existsSync(join(rootDir, file)))).toEqual([]);
  });
});

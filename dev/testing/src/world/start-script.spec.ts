import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../eventually.ts';
import { inTempTree } from '../temp-tree.ts';

const SCRIPT = new URL('../../jest/start-scripts.mjs', import.meta.url).href;
const START_SCRIPT = fileURLToPath(new URL('./start-script.cjs', import.meta.url));

/** The files that were compiled for each service, without those that are still being written. */
const keptIn = (scripts: string) => {
  const compiled = join(scripts, 'compiled');
  return existsSync(compiled) ? readdirSync(compiled).flatMap((name) => (name.includes('.') ? [] : [join(compiled, name)])) : [];
};

/** Starts the script, and ends it once its compiled code is stored. Returns what it says when it is ready. */
async function says(scripts: string, files: readonly string[]): Promise<unknown> {
  const child = fork(START_SCRIPT, [scripts, ...files], { execArgv: [] });
  const [said] = await once(child, 'message');
  await eventually(async () => keptIn(scripts)[0]);
  child.send('end');
  await once(child, 'exit');
  return said;
}

describe('a service started from the scripts of its bundle', () => {
  it('runs like its module, and stores the compiled code for the next start', () =>
    inTempTree(
      {
        'setup.mjs': 'globalThis.isSetUp = true;',
        'shared.mjs': 'exports.greets = (name) => `hello ${name}`;',
        'main.mjs': `
          const { greets } = require('./shared.mjs');
          process.send([greets('you'), require('node:path').sep, isSetUp, process.argv.length, __url]);
          process.on('message', () => process.exit());`,
      },
      async (scripts) => {
        const files = ['/bundle/setup.mjs', '/bundle/main.mjs'];
        const expected = ['hello you', '/', true, 2, 'file:///bundle/main.mjs'];

        expect(await says(scripts, files)).toEqual(expected);
        expect(readdirSync(keptIn(scripts)[0]!).toSorted()).toEqual(['flags.json', 'main.mjs', 'setup.mjs', 'shared.mjs']);
        expect(await says(scripts, files)).toEqual(expected);
      },
    ));

  it('accepts the stored compiled code, also when it sets V8 flags', () =>
    inTempTree(
      {
        'main.mjs': `
          require('node:v8').setFlagsFromString('--heap-growing-percent=50');
          process.send('ready');
          process.on('message', () => process.exit());`,
      },
      async (scripts) => {
        await says(scripts, ['/bundle/main.mjs']);
        expect(JSON.parse(readFileSync(join(keptIn(scripts)[0]!, 'flags.json'), 'utf8'))).toEqual(['--heap-growing-percent=50']);

        await says(scripts, ['/bundle/main.mjs']);

        expect(existsSync(join(scripts, 'refused'))).toBe(false);
      },
    ));

  it('preserves the non-ASCII characters of its bundle, also in regular expressions', () =>
    inTempTree({ 'bundle/main.mjs': `process.send([/^•{2}$/u.test('••'), 'Zoë 🙂'])`, 'scripts/none': '' }, async (dir) => {
      const { writeStartScripts } = (await import(SCRIPT)) as { writeStartScripts(bundle: string, folder: string): Promise<void> };
      await writeStartScripts(join(dir, 'bundle'), join(dir, 'scripts'));
      const child = fork(START_SCRIPT, [join(dir, 'scripts'), join(dir, 'bundle/main.mjs')], { execArgv: [] });
      const ended = once(child, 'exit');

      const [said] = await once(child, 'message');
      await ended;

      expect(said).toEqual([true, 'Zoë 🙂']);
    }));
});

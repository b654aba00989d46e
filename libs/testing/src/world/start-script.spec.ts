import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../eventually.ts';
import { inTempTree } from '../temp-tree.ts';

const MAKER = new URL('../../jest/start-scripts.mjs', import.meta.url).href;
const START_SCRIPT = fileURLToPath(new URL('./start-script.cjs', import.meta.url));

describe('a service that is started from scripts of its bundle', () => {
  it('runs as its module would, and leaves what was compiled for the next start', () =>
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
        const compiled = join(scripts, 'compiled');
        /** Without what is being written. */
        const kept = () => (existsSync(compiled) ? readdirSync(compiled).filter((name) => !name.includes('.')) : []);
        const says = async () => {
          const child = fork(START_SCRIPT, [scripts, '/bundle/setup.mjs', '/bundle/main.mjs'], { execArgv: [] });
          const [said] = await once(child, 'message');
          await eventually(async () => kept()[0]);
          child.send('end');
          await once(child, 'exit');
          return said;
        };
        const expected = ['hello you', '/', true, 2, 'file:///bundle/main.mjs'];

        expect(await says()).toEqual(expected);
        expect(readdirSync(join(compiled, kept()[0]!)).toSorted()).toEqual(['main.mjs', 'setup.mjs', 'shared.mjs']);
        expect(await says()).toEqual(expected);
      },
    ));

  it('has the letters of its bundle, also in regular expressions', () =>
    inTempTree({ 'bundle/main.mjs': `process.send([/^•{2}$/u.test('••'), 'Zoë 🙂'])`, 'scripts/none': '' }, async (dir) => {
      const { writeStartScripts } = (await import(MAKER)) as { writeStartScripts(bundle: string, folder: string): Promise<void> };
      await writeStartScripts(join(dir, 'bundle'), join(dir, 'scripts'));
      const child = fork(START_SCRIPT, [join(dir, 'scripts'), join(dir, 'bundle/main.mjs')], { execArgv: [] });
      const ended = once(child, 'exit');

      const [said] = await once(child, 'message');
      await ended;

      expect(said).toEqual([true, 'Zoë 🙂']);
    }));
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../src/command/root.ts';
import { eventually } from '@codase/testing/eventually';
import { inTempTree } from '@codase/testing/temp-tree';

const COMMANDS = ['architecture', 'spec-index', 'matrix', 'bench', 'mutate', 'outdated', 'release', 'test'];

/** Starts a built command; tests always run on a fresh build. */
function start(args: string[], env: Record<string, string> = {}) {
  const [name, ...rest] = args;
  const child = spawn(process.execPath, [join(ROOT, 'tools/dist', name!, 'main.js'), ...rest], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, output }));
  return { child, ended };
}

const run = (...args: string[]) => start(args).ended;

describe('every command of npm run', () => {
  it.each(COMMANDS)('the command %s prints its help', async (name) => {
    const { code, output } = await run(name, '--help');

    expect(code).toBe(0);
    expect(output).toMatch(/Exit code 1 when|Exit code 1 on|exit code 1 when/);
  });

  it.each([
    ['architecture', '--tabel'],
    ['spec-index', '--wirte'],
    ['matrix', '--from'],
    ['matrix', '--from', '/nowhere'],
    ['bench', 'unheard-of'],
    ['bench', '--seconds', 'ten'],
    ['mutate', 'unheard-of'],
    ['release'],
    ['release', '0.1'],
    ['test', '--only', 'unheard-of'],
  ])('the command %s %s with invalid arguments prints one line and exits with 2', async (...args) => {
    const { code, output } = await run(...args);

    expect({ code, lines: output.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(output).toContain('--help');
  });
});

it('a command on Windows is refused at once, and says what to install', async () => {
  const onWindows = `data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})`;
  const child = spawn(process.execPath, ['--import', onWindows, join(ROOT, 'tools/run.mjs'), 'unheard-of'], { cwd: ROOT });
  const [said] = (await once(child.stderr.setEncoding('utf8'), 'data')) as [string];

  expect(said).toMatch(/^Windows cannot run this by itself: install WSL .*\n$/);
  expect(await once(child, 'close')).toEqual([1, null]);
});

describe('npm test', () => {
  it('ends its output with the count of passed and failed checks', async () => {
    const { code, output } = await run('test', '--only', 'lockfile,leftovers');

    expect(output.split('\n').slice(-2)).toEqual(['2 passed, 0 failed', '']);
    expect(code).toBe(0);
  });

  it('fails when Jest finds no test', async () => {
    const { code, output } = await run('test', '--only', 'jest,matrix', 'no/such/test', '--config', '{"testMatch":["<rootDir>/nothing"]}');

    expect(output.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed');
    expect(code).toBe(1);
  });

  it('stops its child processes when it is interrupted, and leaves no files behind', () =>
    inTempTree({}, async (tmp) => {
      const { child, ended } = start(['test', '--only', 'types,lint'], { TMPDIR: tmp });
      await eventually(async () => readdirSync(tmp).length > 0 || undefined);
      child.kill('SIGINT');

      const { code, output } = await ended;
      expect(output.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed');
      expect(code).toBe(130);
      expect(readdirSync(tmp)).toEqual([]);
    }));
});

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { comesTrue, eventually } from '@codase/testing/eventually';
import { command } from '../src/command.ts';

const BUILT = new URL('../dist/guard.js', import.meta.url).href;

describe('a guarded resource', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guarded-'));
  const [kept, plain, odd] = ['kept', 'plain', `it's $HOME; "odd" \\`].map((name) => join(folder, name)) as [string, string, string];
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is cleaned up after its process is killed, unless it was released', async () => {
    for (const path of [kept, plain, odd]) mkdirSync(path);
    const script = `
      import { spawn } from 'node:child_process';
      import { guard } from ${JSON.stringify(BUILT)};
      const release = guard({ folder: ${JSON.stringify(kept)} });
      const { pid } = spawn('sleep', ['1000'], { stdio: 'ignore' });
      guard({ pid, signals: ['SIGTERM'], folder: ${JSON.stringify(plain)} });
      guard({ command: ['mkdir', ${JSON.stringify(join(folder, 'by a program'))}], folder: ${JSON.stringify(odd)} });
      release();
      process.stdout.write(String(pid), () => process.kill(process.pid, 'SIGKILL'));`;

    const { output: pid } = await command(process.execPath, ['--input-type=module', '-e', script], { seconds: 30 });

    await eventually(async () => (existsSync(plain) || existsSync(odd) ? undefined : 'gone'));
    expect(existsSync(kept)).toBe(true);
    expect(existsSync(join(folder, 'by a program'))).toBe(true);
    await comesTrue(async () => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'));
  });
});

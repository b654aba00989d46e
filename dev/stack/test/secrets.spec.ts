import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { eventually } from '@codase/testing/eventually';

const STACK = new URL('../dist/index.js', import.meta.url).href;

it('mounted secrets are removed when their process is killed', async () => {
  const script = `
    import { Secrets } from '${STACK}';
    const folder = new Secrets().mount('keys', { key: 'secret' });
    process.stdout.write(folder, () => process.kill(process.pid, 'SIGKILL'));`;

  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [folder] = await Promise.all([text(child.stdout), once(child, 'close')]);

  expect(folder).toContain('codase-mount-');
  expect(await eventually(async () => (existsSync(folder) ? undefined : 'gone'))).toBe('gone');
});

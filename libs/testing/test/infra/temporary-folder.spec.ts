import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../src/eventually.ts';
import { command } from '../../src/infra/command.ts';
import { temporaryFolder } from '../../src/infra/temporary-folder.ts';

const STACK = new URL('../../dist/stack/index.js', import.meta.url).href;

describe('a temporary folder', () => {
  it('is gone when it is removed, with all that is in it', () => {
    const { path, remove } = temporaryFolder('test');
    writeFileSync(join(path, 'key'), 'secret');
    remove();

    expect(existsSync(path)).toBe(false);
  });

  it('with mounted secrets does not outlive a process that is killed', async () => {
    const script = `
      import { Secrets } from '${STACK}';
      const folder = new Secrets().mount('keys', { key: 'secret' });
      process.stdout.write(folder, () => process.kill(process.pid, 'SIGKILL'));`;

    const { output: folder } = await command(process.execPath, ['--input-type=module', '-e', script], { seconds: 30 });

    expect(folder).toContain('cds-mount-');
    expect(await eventually(async () => (existsSync(folder) ? undefined : 'gone'))).toBe('gone');
  });
});

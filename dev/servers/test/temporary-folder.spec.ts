import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@codase/testing/eventually';
import { command } from '../src/command.ts';
import { temporaryFolder } from '../src/temporary-folder.ts';

const BUILT = new URL('../dist/temporary-folder.js', import.meta.url).href;

describe('a temporary folder', () => {
  it('is removed with all its files', () => {
    const { path, remove } = temporaryFolder('test');
    writeFileSync(join(path, 'key'), 'secret');
    remove();

    expect(existsSync(path)).toBe(false);
  });

  it('is removed when its process is killed', async () => {
    const script = `
      import { temporaryFolder } from '${BUILT}';
      const { path } = temporaryFolder('test');
      process.stdout.write(path, () => process.kill(process.pid, 'SIGKILL'));`;

    const { output: folder } = await command(process.execPath, ['--input-type=module', '-e', script], { seconds: 30 });

    expect(folder).toContain('codase-test-');
    expect(await eventually(async () => (existsSync(folder) ? undefined : 'gone'))).toBe('gone');
  });
});

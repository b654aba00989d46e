import { inTempTree } from '@codase/testing/temp-tree';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { LiveVariable } from './live-variable.ts';
import { readConfig } from './read-config.ts';

const Config = z.object({
  KEYS: z
    .string()
    .min(3, 'at least 3 characters')
    .transform((text) => text.split(' ')),
});

describe('a variable that is given by file', () => {
  it('is read again, as its schema reads it', () =>
    inTempTree({ keys: 'one two\n' }, (dir) => {
      const path = join(dir, 'keys');
      const keys = LiveVariable.of(Config, readConfig(Config, { KEYS_FILE: path }), 'KEYS');
      expect([keys.reread(), keys.current]).toEqual([false, ['one', 'two']]);

      writeFileSync(path, 'two three\n');

      expect([keys.reread(), keys.current]).toEqual([true, ['two', 'three']]);
    }));

  it('stays as it was while its file is gone or does not fit, and never says what is in it', () =>
    inTempTree({ keys: 'one two' }, (dir) => {
      const path = join(dir, 'keys');
      const keys = LiveVariable.of(Config, readConfig(Config, { KEYS_FILE: path }), 'KEYS');
      writeFileSync(path, 'x');
      expect(() => keys.reread()).toThrow(/KEYS: at least 3 characters$/);
      rmSync(path);
      expect(() => keys.reread()).toThrow('ENOENT');

      expect(keys.current).toEqual(['one', 'two']);
    }));

  it('stays as it is when it is given by itself', () => {
    const keys = LiveVariable.of(Config, readConfig(Config, { KEYS: 'one two' }), 'KEYS');

    expect([keys.reread(), keys.current]).toEqual([false, ['one', 'two']]);
  });
});

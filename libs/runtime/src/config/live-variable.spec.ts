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

describe('a variable read from a file', () => {
  it('is reread and parsed by its schema', () =>
    inTempTree({ keys: 'one two\n' }, (dir) => {
      const path = join(dir, 'keys');
      const keys = LiveVariable.of(Config, readConfig(Config, { KEYS_FILE: path }), 'KEYS');
      expect([keys.reread(), keys.current]).toEqual([false, ['one', 'two']]);

      writeFileSync(path, 'two three\n');

      expect([keys.reread(), keys.current]).toEqual([true, ['two', 'three']]);
    }));

  it('keeps its value while its file is missing or invalid, and the error never contains the content', () =>
    inTempTree({ keys: 'one two' }, (dir) => {
      const path = join(dir, 'keys');
      const keys = LiveVariable.of(Config, readConfig(Config, { KEYS_FILE: path }), 'KEYS');
      writeFileSync(path, 'x');
      expect(() => keys.reread()).toThrow(/KEYS: at least 3 characters$/);
      rmSync(path);
      expect(() => keys.reread()).toThrow('ENOENT');

      expect(keys.current).toEqual(['one', 'two']);
    }));

  it('does not change when it was set directly', () => {
    const keys = LiveVariable.of(Config, readConfig(Config, { KEYS: 'one two' }), 'KEYS');

    expect([keys.reread(), keys.current]).toEqual([false, ['one', 'two']]);
  });
});

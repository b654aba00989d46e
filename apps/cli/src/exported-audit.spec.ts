import { join } from 'node:path';
import { inTempTree } from '@codase/testing/temp-tree';
import { readExported } from './exported-audit.ts';

const line = (base: string, id: string) => JSON.stringify({ base, id, action: 'account.disabled', details: { note: 'åäö {"base": ' } });
const BANNER = ['', '> company-data-service@1.0.0 operator', '> node tools/run.mjs operator audit export --follow', ''];

/** Reads the file `audit.jsonl` with these lines. Returns the ids of the entries of the region eu, and the warnings. */
const read = (...lines: string[]) =>
  inTempTree({ 'audit.jsonl': lines.join('\n') }, async (dir) => {
    const warned: string[] = [];
    const entries = await readExported(join(dir, 'audit.jsonl'), 'eu', { warn: (text) => void warned.push(text) });
    return { ids: (entries as { id?: string }[]).map(({ id }) => id), warned };
  });

describe('reader of an exported audit file', () => {
  it('returns the entries of one base without a warning', async () => {
    expect(await read(line('eu', 'a'), line('front-door', 'b'), line('eu', 'c'), '')).toEqual({ ids: ['a', 'c'], warned: [] });
    expect(await readExported(undefined, 'eu')).toEqual([]);
  });

  it('passes the entries of all bases to the callback', async () => {
    const bases: string[] = [];
    await inTempTree({ 'audit.jsonl': [line('eu', 'a'), line('front-door', 'b'), line('us', 'c')].join('\n') }, (dir) =>
      readExported(join(dir, 'audit.jsonl'), 'eu', { also: ({ base }) => void bases.push(base) }),
    );
    expect(bases).toEqual(['eu', 'front-door', 'us']);
  });

  it('skips lines that npm printed, with a warning', async () => {
    const { ids, warned } = await read(...BANNER, line('eu', 'a'), ...BANNER, line('eu', 'b'), '7', 'null');

    expect(ids).toEqual(['a', 'b']);
    expect(warned).toEqual([expect.stringMatching(/audit\.jsonl: skipped 6 line\(s\).* the first at line 2\. /)]);
  });

  it.each([1, 8, 20, 70])('reads the complete entry that follows one cut off after %d characters', async (length) => {
    const half = line('eu', 'b').slice(0, length);
    const { ids, warned } = await read(line('eu', 'a'), half + line('eu', 'b'), line('eu', 'c'), half);

    expect(ids).toEqual(['a', 'b', 'c']);
    expect(warned).toEqual([expect.stringContaining('skipped 2 line(s)')]);
  });

  it.each<[string, string[]]>([
    ['of the front door alone', [line('front-door', 'b')]],
    ['empty', []],
  ])('warns when the file has no entry of the region because it is %s', async (_, lines) => {
    expect(await read(...lines)).toEqual({ ids: [], warned: [expect.stringContaining('audit.jsonl: no entry is of eu')] });
  });

  it('rejects a file without entries and a file that does not exist', async () => {
    await expect(read('my notes', '{}')).rejects.toThrow('has no entry of the audit: name a file of lines that audit export printed.');
    await expect(readExported('/nowhere/audit.jsonl', 'eu')).rejects.toThrow('/nowhere/audit.jsonl cannot be read');
  });
});

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

describe('the file of an audit export', () => {
  it('gives the entries of one base, without a warning', async () => {
    expect(await read(line('eu', 'a'), line('front-door', 'b'), line('eu', 'c'), '')).toEqual({ ids: ['a', 'c'], warned: [] });
    expect(await readExported(undefined, 'eu')).toEqual([]);
  });

  it('gives the entries of all bases to whoever wants them too', async () => {
    const bases: string[] = [];
    await inTempTree({ 'audit.jsonl': [line('eu', 'a'), line('front-door', 'b'), line('us', 'c')].join('\n') }, (dir) =>
      readExported(join(dir, 'audit.jsonl'), 'eu', { also: ({ base }) => void bases.push(base) }),
    );
    expect(bases).toEqual(['eu', 'front-door', 'us']);
  });

  it('may have lines that npm printed', async () => {
    const { ids, warned } = await read(...BANNER, line('eu', 'a'), ...BANNER, line('eu', 'b'), '7', 'null');

    expect(ids).toEqual(['a', 'b']);
    expect(warned).toEqual([expect.stringMatching(/audit\.jsonl: skipped 6 line\(s\).* the first at line 2\. /)]);
  });

  it.each([1, 8, 20, 70])('may have an entry that was cut off after %d characters, with a whole one behind it', async (length) => {
    const half = line('eu', 'b').slice(0, length);
    const { ids, warned } = await read(line('eu', 'a'), half + line('eu', 'b'), line('eu', 'c'), half);

    expect(ids).toEqual(['a', 'b', 'c']);
    expect(warned).toEqual([expect.stringContaining('skipped 2 line(s)')]);
  });

  it.each<[string, string[]]>([
    ['of the front door alone', [line('front-door', 'b')]],
    ['empty', []],
  ])('gives a warning for a region when it is %s', async (_, lines) => {
    expect(await read(...lines)).toEqual({ ids: [], warned: [expect.stringContaining('audit.jsonl: no entry is of eu')] });
  });

  it('is refused when no line is an entry, or there is no such file', async () => {
    await expect(read('my notes', '{}')).rejects.toThrow('has no entry of the audit: name a file of lines that audit export printed.');
    await expect(readExported('/nowhere/audit.jsonl', 'eu')).rejects.toThrow('/nowhere/audit.jsonl cannot be read');
  });
});

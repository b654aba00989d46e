import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { StringShortener } from './string-shortener.ts';

const MAX = 64 * 1024;

/** Gives the body in chunks of `size` bytes. Returns the short document and the text that was handed on. */
function shortened(body: string, size: number): { short: Buffer; text: string; shortened: string | undefined } {
  const [shortener, bytes] = [new StringShortener(MAX), Buffer.from(body)];
  const handed: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) {
    for (const part of shortener.add(bytes.subarray(from, from + size))) handed.push(Buffer.from(part));
  }
  return { short: shortener.whole(), text: Buffer.concat(handed).toString(), shortened: shortener.shortened };
}

const base64 = (bytes: number) => Buffer.alloc(bytes, 'a long file, that is read while it comes. ').toString('base64');

describe('StringShortener, which forwards the long strings of a JSON body while the body arrives', () => {
  it.each([1, 7, 4096, 65_536])('leaves a body without long strings unchanged, in chunks of %i', (size) => {
    const body = JSON.stringify({ name: 'A "quoted" \\ näme', list: [1, true, null], key: base64(3000), wide: '…'.repeat(9000) });

    const { short, text, shortened: kept } = shortened(body, size);

    expect(short.toString()).toBe(body);
    expect([text, kept]).toEqual(['', undefined]);
  });

  it.each([
    [1, 30_000],
    [5, 30_001],
    [1000, 30_002],
    [65_536, 30_003],
    [65_536, 400_001],
  ])('forwards a whole wrapper in chunks of %i, and keeps a shortened valid wrapper', (size, bytes) => {
    const d = base64(bytes);
    const wrapper = JSON.stringify({ _enc: 1, k: base64(256), iv: base64(12), d });
    const body = JSON.stringify({ name: 'Offer', file: wrapper, after: 'näme' });

    const { short, text, shortened: standsFor } = shortened(body, size);

    expect(text === wrapper).toBe(true);
    const kept = JSON.parse(short.toString()) as { name: string; file: string; after: string };
    expect(kept).toEqual({ name: 'Offer', after: 'näme', file: standsFor });
    const inner = JSON.parse(kept.file) as { k: string; d: string };
    expect(inner.k).toBe(base64(256));
    expect(inner.d.length).toBeLessThan(5000);
    expect(inner.d.length % 4).toBe(d.length % 4);
    expect(inner.d.slice(-4)).toBe(d.slice(-4));
    expect(inner.d.slice(0, 4096)).toBe(d.slice(0, 4096));
  });

  it.each(['-', '_', '=', ' ', '%', 'é'])('keeps a character that is not base64 in the shortened string: %s', (letter) => {
    const file = `${'abcd'.repeat(20_000)}${letter}${'efgh'.repeat(20_000)}`;

    const { short, text } = shortened(JSON.stringify({ file }), 50_001);

    const kept = (JSON.parse(short.toString()) as { file: string }).file;
    expect([text === file, kept.split(letter).length, kept.length < 10_000]).toEqual([true, 2, true]);
  });

  it('forwards a data URI', () => {
    const file = `data:application/pdf;base64,${'ab/+'.repeat(5000)}`;

    expect(shortened(JSON.stringify({ file: { file, size: 15_000 } }), 1000).text === file).toBe(true);
  });

  /** How languages write letters of base64 in JSON. */
  const ESCAPES: [string, (json: string) => string][] = [
    ['as PHP does', (json) => json.replaceAll('/', String.raw`\/`)],
    ['as .NET does', (json) => json.replaceAll('+', String.raw`\u002B`)],
    ['in small letters', (json) => json.replaceAll('+', String.raw`\u002b`).replaceAll('/', String.raw`\u002f`)],
    ['with padding', (json) => json.replaceAll('=', String.raw`\u003D`)],
  ];
  describe.each(ESCAPES)('with characters escaped %s', (_, escaped) => {
    it.each([1, 5, 1000, 65_536])('forwards the unescaped text, in chunks of %i', (size) => {
      for (const end of ['', 'ab==']) {
        const file = `data:application/pdf;base64,${'ab/+//++cd'.repeat(1000)}${end}`;

        const { short, text, shortened: standsFor } = shortened(escaped(JSON.stringify({ name: 'a/b+c', file })), size);

        expect(text === file).toBe(true);
        expect(JSON.parse(short.toString())).toEqual({ name: 'a/b+c', file: standsFor });
        expect([standsFor!.length < 9000, standsFor!.length % 4, standsFor!.slice(-4)]).toEqual([true, file.length % 4, file.slice(-4)]);
      }
    });

    it.each(ESCAPES)('forwards the unescaped wrapper in a body with characters escaped %s', (_name, escapedOutside) => {
      const d = 'ab/+//++cd'.repeat(1000);
      const wrapper = escaped(JSON.stringify({ _enc: 1, k: base64(256), iv: base64(12), d }));
      for (const size of [3, 65_536]) {
        const { short, text, shortened: standsFor } = shortened(escapedOutside(JSON.stringify({ file: wrapper, after: 'näme' })), size);

        expect(text === wrapper).toBe(true);
        expect(JSON.parse(short.toString())).toEqual({ file: standsFor, after: 'näme' });
        const inner = JSON.parse(standsFor!) as { k: string; d: string };
        expect([inner.k, inner.d.length < 5000, inner.d.length % 4, inner.d.slice(-4)]).toEqual([base64(256), true, 0, d.slice(-4)]);
      }
    });
  });

  it('keeps backslashes that do not escape a base64 character', () => {
    const [file, other] = [`${'abcd'.repeat(3000)}\\/${'efgh'.repeat(3000)}`, `{${'abcd'.repeat(3000)}\\\\/${'efgh'.repeat(3000)}`];

    for (const size of [1, 1000, 65_536]) {
      for (const given of [file, other]) {
        const { short, text, shortened: standsFor } = shortened(JSON.stringify({ file: given }), size);

        expect((JSON.parse(short.toString()) as { file: string }).file).toBe(standsFor);
        expect([text === given, standsFor!.split('\\').length]).toEqual([true, given.split('\\').length]);
      }
    }
    for (const text of ['{"a":1}\\', '{"a":1}\\u002', '{"a":1e\\u002B5}']) expect(shortened(text, 3).short.toString()).toBe(text);
  });

  it.each([
    ['many strings', '","'.repeat(100_000), 65_536],
    ['one string that comes in tiny chunks', 'some text '.repeat(10_000), 1],
  ])('uses at most five times as much memory as a body of %s has bytes', (_, text, size) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const inUse = () => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const body = Buffer.from(`{"a":["${text}"]}`);
    const shortener = new StringShortener(1024 * 1024);
    const before = inUse();
    for (let from = 0; from < body.length; from += size) shortener.add(Buffer.from(body.subarray(from, from + size)));

    expect(inUse() - before).toBeLessThan(5 * body.length);
    expect(shortener.whole().equals(body)).toBe(true);
  });

  it('keeps the effective short member beside a long member name or a long duplicate', () => {
    const long = base64(20_000);
    const [name, twice] = [`{"${long}":"a","file":"short"}`, `{"file":"${long}","file":"short"}`].map((body) => shortened(body, 1000));

    for (const { short, shortened: standsFor } of [name!, twice!]) {
      expect((JSON.parse(short.toString()) as { file: string }).file).toBe('short');
      expect(standsFor!.length).toBeGreaterThan(4096);
    }
  });

  it('refuses a second long string, invalid JSON, and a body over its limit', () => {
    const long = base64(20_000);

    expect(() => shortened(JSON.stringify({ a: long, b: long }), 1000)).toThrow('one long string');
    expect(() => shortened(`{"a":"\\x${long}"}`, 1000)).toThrow('must be JSON');
    expect(() => shortened(JSON.stringify({ a: 'ä'.repeat(MAX) }), 1000)).toThrow(expect.objectContaining({ key: 'request.too_large' }));
  });
});

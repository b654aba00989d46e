import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { GatheredBytes } from './gathered-bytes.ts';

const gatheredOf = (pieces: readonly Buffer[]) => {
  const gathered = new GatheredBytes();
  for (const piece of pieces) gathered.add(piece);
  return gathered;
};

describe('GatheredBytes', () => {
  it('joins pieces of any length in order', () => {
    const length = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 30_000, max: 150_000 }));
    fc.assert(
      fc.property(fc.array(length, { maxLength: 40 }), (lengths) => {
        const pieces = lengths.map((bytes, nth) => Buffer.alloc(bytes, `${nth} `));
        const gathered = gatheredOf(pieces);

        expect(gathered.whole().equals(Buffer.concat(pieces))).toBe(true);
        expect(gathered.length).toBe(Buffer.concat(pieces).length);
      }),
    );
  });

  it('can be read before more pieces are added', () => {
    const gathered = gatheredOf([Buffer.from('he')]);
    const before = gathered.whole();
    gathered.add(Buffer.from('llo'));

    expect([before.toString(), gathered.whole().toString()]).toEqual(['he', 'hello']);
  });

  it('uses about as much memory as the bytes need, even for one-byte pieces', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const inUse = () => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = inUse();
    const gathered = new GatheredBytes();
    for (let nth = 0; nth < 100_000; nth++) gathered.add(Buffer.from([nth % 256]));

    expect(inUse() - before).toBeLessThan(2_000_000);
    expect(gathered.length).toBe(100_000);
  });

  it('copies a short piece, and keeps a long piece without copying it', () => {
    const [short, long] = [Buffer.from('short'), Buffer.alloc(64 * 1024, 'long')];
    const [copied, kept] = [gatheredOf([short]), gatheredOf([long])];
    short.fill('x');

    expect(copied.whole().toString()).toBe('short');
    expect(kept.whole()).toBe(long);
  });
});

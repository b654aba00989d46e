import fc from 'fast-check';
import { buildPdf } from '../test/build-pdf.ts';
import { PLATFORM, SEAL } from '../test/identities.ts';
import { PRODUCERS } from '../test/producers.ts';
import { PDF_REASONS, PdfRefusal } from './refusal.ts';
import { seal } from './seal.ts';
import { verify } from './verify.ts';

/** The number of runs. `CODASE_PDF_FUZZ=2000 npx nx test pdf` makes as many, and flips every byte of a small file too. */
const RUNS = Number(process.env['CODASE_PDF_FUZZ'] ?? 120);
const isLong = process.env['CODASE_PDF_FUZZ'] !== undefined;
const certificates = [PLATFORM.certificate];
const SEALED = await seal(buildPdf({ form: 'stream' }), SEAL);
const SOURCES = [...PRODUCERS.map(([, pdf]) => pdf), buildPdf({ form: 'hybrid' }), SEALED];

const TOKENS = [
  '<<',
  '>>',
  '[',
  ']',
  '(',
  ')',
  '<',
  '/Kids',
  '/Prev 9',
  '/Length 99999999',
  ' 1 0 R',
  'obj',
  'stream',
  'endstream',
  'xref',
  '0 0 65535 f',
  '99999999999',
  '-1',
  '%',
];

type Change = (pdf: Buffer) => Buffer;

const splice = (pdf: Buffer, at: number, length: number, put: Buffer) =>
  Buffer.concat([pdf.subarray(0, at), put, pdf.subarray(at + length)]);
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** One of the ways in which a file can be wrong. The structure of a file is at its end, so half of the changes are there. */
const change: fc.Arbitrary<Change> = fc
  .record({
    isNearEnd: fc.boolean(),
    at: share,
    length: fc.integer({ min: 0, max: 200 }),
    byte: fc.nat(255),
    token: fc.constantFrom(...TOKENS),
    kind: fc.nat(5),
  })
  .map(({ isNearEnd, at, length, byte, token, kind }) => (pdf) => {
    const span = isNearEnd ? Math.min(1200, pdf.length) : pdf.length;
    const from = pdf.length - span + Math.floor(at * span);
    if (kind === 0) return splice(pdf, from, 1, Buffer.from([byte]));
    if (kind === 1) return splice(pdf, from, length, Buffer.alloc(0));
    if (kind === 2) return splice(pdf, from, 0, pdf.subarray(from, from + length));
    if (kind === 3) return splice(pdf, from, token.length, Buffer.from(token));
    if (kind === 4) return splice(pdf, from, 0, Buffer.from(token));
    return pdf.subarray(0, from);
  });

describe('a PDF that was altered at random', () => {
  it('is sealed so that it verifies, or refused with a reason', async () => {
    const changes = fc.array(change, { minLength: 1, maxLength: 4 });
    let refused = 0;

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SOURCES), changes, async (pdf, list) => {
        const changed = list.reduce((bytes, apply) => apply(bytes), pdf);
        const outcome = await outcomeOf(() => seal(changed, SEAL));
        if (outcome !== 'sealed') refused += 1;
        expect(['sealed', ...PDF_REASONS]).toContain(outcome);
        const isSame = changed.equals(SEALED);
        expect(verify(changed, { certificates }).verdict === 'sealed').toBe(isSame);
      }),
      { numRuns: RUNS, endOnFailure: !isLong },
    );

    expect(refused).toBeGreaterThan(RUNS / 10);
  });

  it(`fails with ${isLong ? 'every byte' : 'every hundredth byte'} flipped`, () => {
    const missed: number[] = [];
    for (let at = 0; at < SEALED.length; at += isLong ? 1 : 101) {
      const flipped = Buffer.from(SEALED);
      flipped[at]! ^= 1 << (at % 8);
      if (verify(flipped, { certificates }).verdict === 'sealed') missed.push(at);
    }

    expect(missed).toEqual([]);
  });
});

/** The verdict on the sealed file, or the reason why it was refused. */
async function outcomeOf(work: () => Promise<Buffer>): Promise<string> {
  try {
    return verify(await work(), { certificates }).verdict;
  } catch (error) {
    if (error instanceof PdfRefusal) return error.reason;
    throw error;
  }
}

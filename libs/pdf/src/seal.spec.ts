import { createHash } from 'node:crypto';
import { buildPdf, type BuildOptions } from '../test/build-pdf.ts';
import { OTHER, PLATFORM, SEAL } from '../test/identities.ts';
import { PdfFile } from './file/pdf-file.ts';
import { Dict, Name } from './file/values.ts';
import { prepareSeal } from './prepare-seal.ts';
import { seal } from './seal.ts';
import { verify } from './verify.ts';

const certificates = [PLATFORM.certificate];
const FIELD = "<< /FT /Tx /T (name) /V (O'Hara \\(old\\)) /Rect [0 0 9 9] /Subtype /Widget >>";

const FORMS: [string, BuildOptions][] = [
  ['a table', {}],
  ['a stream', { form: 'stream' }],
  ['both, where new readers look into the stream', { form: 'hybrid' }],
  ['all but the pages in object streams', { form: 'stream', compressed: [1, 2, 3, 5] }],
  ['bytes before the header, which offsets skip', { junkBefore: 'Content-Type: application/pdf\n\n' }],
  ['bytes before the header, which offsets count', { junkBefore: 'Content-Type: application/pdf\n\n', offsetsFrom: 'file' }],
  ['bytes before the header and a stream', { junkBefore: 'junk\n', form: 'stream' }],
  ['bytes behind the end', { junkAfter: '\0'.repeat(900) }],
  ['a form of its own object', { catalog: '/AcroForm 6 0 R', objects: { 6: '<< /Fields [7 0 R] /DA (/F1 0 Tf) >>', 7: FIELD } }],
  ['a form inside the catalog', { catalog: `/AcroForm << /Fields [7 0 R] /SigFlags 0 >>`, objects: { 7: FIELD } }],
  ['a form whose list is an object', { catalog: '/AcroForm << /Fields 6 0 R >>', objects: { 6: '[7 0 R]', 7: FIELD } }],
  ['a comment inside its catalog', { catalog: '% a remark >>\n/Lang (en)' }],
];

describe('a seal @spec D1-2.12', () => {
  it.each(FORMS)('covers the whole file and starts with the signed document, for a PDF with %s', async (_, options) => {
    const pdf = buildPdf(options);

    const sealed = await seal(pdf, SEAL);

    expect(sealed.subarray(0, pdf.length).equals(pdf)).toBe(true);
    const { verdict, signatures } = verify(sealed, { certificates });
    expect({ verdict, signatures }).toMatchObject({
      verdict: 'sealed',
      signatures: [
        {
          state: 'whole',
          covers_whole_file: true,
          by_this_platform: true,
          in_form: true,
          certificate_was_valid: true,
          signer: 'Demo',
          reason: 'Signed by everybody',
          claimed_at: '2026-11-16T12:55:00.000Z',
          timestamp: null,
          signed: { bytes: pdf.length, sha256: createHash('sha256').update(pdf).digest('hex') },
        },
      ],
    });
  });

  it.each(FORMS)('keeps the catalog and the form of a PDF with %s', async (_, options) => {
    const pdf = buildPdf(options);

    const file = new PdfFile(await seal(pdf, SEAL));

    const before = new PdfFile(pdf).root().dict;
    const after = file.root().dict;
    const kept = [...before.entries.keys()].filter((key) => key !== 'AcroForm');
    expect(kept.map((key) => after.raw(key))).toEqual(kept.map((key) => before.raw(key)));
    const form = file.dictOf(after.get('AcroForm'))!;
    const fields = (file.resolve(form.get('Fields')) as never[]).map((field) => file.dictOf(field)!);
    expect(fields.map((field) => (field.get('FT') as Name).value)).toEqual(options.catalog?.includes('AcroForm') ? ['Tx', 'Sig'] : ['Sig']);
    expect(form.get('SigFlags')).toBe(3);
    const page = file.resolve(fields.at(-1)!.get('P')) as Dict;
    expect((page.get('Annots') as unknown[]).length).toBe(1);
  });

  it.each(['table', 'stream'] as const)(
    'counts offsets from the same position as the file, for any length before the header: %s',
    (form) => {
      const words = { reason: '', signer: '', time: SEAL.time, signatureBytes: 64 };
      const unreadable = Array.from({ length: 900 }, (_, length) => length).filter((length) => {
        const pdf = buildPdf({ form, junkBefore: '.'.repeat(length) });
        const sealed = new PdfFile(Buffer.concat([pdf, prepareSeal(pdf, words).update]));
        return sealed.crossReference.shift !== length;
      });

      expect(unreadable).toEqual([]);
    },
  );

  it('is found when another field of the form is unreadable', async () => {
    const pdf = buildPdf({ catalog: '/AcroForm << /Fields [7 0 R] >>', objects: { 7: 'garbage' } });

    expect(verify(await seal(pdf, SEAL), { certificates })).toMatchObject({ verdict: 'sealed', signatures: [{ in_form: true }] });
  });

  it('stays valid under a second seal with another certificate', async () => {
    const twice = await seal(await seal(buildPdf(), SEAL), { ...SEAL, ...OTHER, signer: 'Other' });

    const { verdict, signatures } = verify(twice, { certificates: [OTHER.certificate] });

    expect(verdict).toBe('sealed');
    expect(signatures.map(({ state, covers_whole_file, by_this_platform }) => [state, covers_whole_file, by_this_platform])).toEqual([
      ['whole', false, false],
      ['whole', true, true],
    ]);
  });

  it('counts as a seal of this platform as long as its replaced certificate is known', async () => {
    const sealed = await seal(buildPdf(), SEAL);

    expect(verify(sealed, { certificates: [OTHER.certificate, PLATFORM.certificate] }).verdict).toBe('sealed');
    expect(verify(sealed, { certificates: [OTHER.certificate] }).verdict).toBe('signed_by_others');
  });

  it('records the length of the signed document without appended pages', async () => {
    const sealed = await seal(buildPdf(), { ...SEAL, signedLength: 100 });

    expect(verify(sealed, { certificates }).signatures[0]!.signed).toEqual({
      bytes: 100,
      sha256: createHash('sha256').update(sealed.subarray(0, 100)).digest('hex'),
    });
  });

  it('may include the certificates of its issuers', async () => {
    const sealed = await seal(buildPdf(), { ...SEAL, chain: [OTHER.certificate] });

    expect(verify(sealed, { certificates }).verdict).toBe('sealed');
  });
});

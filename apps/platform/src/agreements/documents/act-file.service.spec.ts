import { createHash } from 'node:crypto';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { ActBox, actFile, openActFile } from './act-file.service.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const PDF = Buffer.from('%PDF-1.7 a lease');
const LONG_PDF = Buffer.alloc(200_000, '%PDF-1.7 a lease ');

describe('file of a signature or acceptance @spec D1-2.12', () => {
  const boxed = async (bytes: Uint8Array) => {
    const otk = createOneTimeKey();
    return { otk, file: await sealBox(otk, bytes) };
  };
  const given = async (bytes: Uint8Array) => {
    const { otk, file } = await boxed(bytes);
    return actFile(otk, file, undefined)!;
  };
  /** Writes the file as it comes from a request body: in chunks that end anywhere. */
  const streams = async (file: string, into = new ActBox()) => {
    for (let from = 0; from < file.length; from += 10_001) await into.write(Buffer.from(file.slice(from, from + 10_001)));
    return { taken: await into.end(), shortened: 'AAAA' };
  };
  const refusal = (key: string) => expect.objectContaining({ key }) as Error;

  it('is decrypted to exactly the bytes that were issued', async () => {
    expect((await openActFile({ plain_sha256: sha256(PDF) }, await given(PDF))).equals(PDF)).toBe(true);
  });

  it('is decoded while it is received, and decrypted in the same memory', async () => {
    const { otk, file } = await boxed(LONG_PDF);
    const act = actFile(otk, 'AAAA', await streams(file))!;

    const opened = await openActFile({ plain_sha256: sha256(LONG_PDF) }, act);

    expect([opened.equals(LONG_PDF), opened.buffer === act.box.buffer]).toEqual([true, true]);
  });

  it("is taken only from the body's long string, together with its key", async () => {
    const { otk, file } = await boxed(LONG_PDF);

    expect(actFile(undefined, undefined, undefined)).toBeUndefined();
    const streamed = await streams(file);
    expect(() => actFile(otk, 'BBBB', streamed)).toThrow(refusal('request.invalid'));
    expect(() => actFile(undefined, undefined, streamed)).toThrow(refusal('request.invalid'));
  });

  it('is refused when its base64 has unused bits that are not zero', () => {
    expect(() => actFile(createOneTimeKey(), 'AAAB', { taken: Buffer.alloc(30), shortened: 'AAAB' })).not.toThrow();
    expect(() => actFile(createOneTimeKey(), 'AAB=', { taken: Buffer.alloc(30), shortened: 'AAB=' })).toThrow(
      refusal('documents.file_invalid'),
    );
  });

  it.each([
    ['others', sha256(Buffer.from('another lease'))],
    ['any, where no digest was given', null],
  ])("is refused unless its digest is the document's: %s", async (_, plain_sha256) => {
    await expect(openActFile({ plain_sha256 }, await given(PDF))).rejects.toEqual(refusal('documents.file_invalid'));
  });

  it('is refused with another key than its own', async () => {
    const { box } = await given(PDF);

    await expect(openActFile({ plain_sha256: sha256(PDF) }, { otk: createOneTimeKey(), box })).rejects.toEqual(
      refusal('documents.file_invalid'),
    );
  });

  it('is refused when it is longer than a document may be', async () => {
    const document = { plain_sha256: sha256(PDF) };
    const { file } = await boxed(LONG_PDF);

    await expect(openActFile(document, await given(PDF), PDF.length - 1)).rejects.toEqual(refusal('documents.too_large'));
    expect((await openActFile(document, await given(PDF), PDF.length)).equals(PDF)).toBe(true);
    await expect(streams(file, new ActBox(LONG_PDF.length - 1))).rejects.toEqual(refusal('documents.too_large'));
    expect((await streams(file, new ActBox(LONG_PDF.length))).taken).toHaveLength(LONG_PDF.length + 28);
  });
});

import { createHash } from 'node:crypto';
import { createOneTimeKey, sealBox } from '@cds/crypto';
import { openActFile } from './act-file.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const PDF = Buffer.from('%PDF-1.7 a lease');

describe('the file of an act @spec D1-2.12', () => {
  const boxed = async (bytes: Uint8Array) => {
    const otk = createOneTimeKey();
    return { otk, file: await sealBox(otk, bytes) };
  };
  const refusal = (key: string) => expect.objectContaining({ key }) as Error;

  it('is the very bytes that were issued', async () => {
    expect((await openActFile({ plain_sha256: sha256(PDF) }, await boxed(PDF))).equals(PDF)).toBe(true);
  });

  it.each([
    ['others', sha256(Buffer.from('another lease'))],
    ['any, where no digest was given', null],
  ])('is not %s', async (_, plain_sha256) => {
    await expect(openActFile({ plain_sha256 }, await boxed(PDF))).rejects.toEqual(refusal('documents.file_invalid'));
  });

  it('opens with its own key alone', async () => {
    const { file } = await boxed(PDF);

    await expect(openActFile({ plain_sha256: sha256(PDF) }, { otk: createOneTimeKey(), file })).rejects.toEqual(
      refusal('documents.file_invalid'),
    );
  });

  it('is no longer than a document may be', async () => {
    const [document, file] = [{ plain_sha256: sha256(PDF) }, await boxed(PDF)];

    await expect(openActFile(document, file, PDF.length - 1)).rejects.toEqual(refusal('documents.too_large'));
    expect((await openActFile(document, file, PDF.length)).equals(PDF)).toBe(true);
  });
});

import { createOneTimeKey, sealBox } from '@codase/crypto';
import type { Generation, Generated } from '@codase/contracts';
import type { RunSide } from './run-sides.ts';

/** What a generation is made from: the plaintext of the answers, and the PDFs of participants by their sources. */
interface GenerationParts {
  values: Readonly<Record<string, string | null>>;
  pdfs?: Readonly<Record<string, Uint8Array>>;
}

/** Uploads the PDFs of participants, and generates the documents of a run, all under one one-time key. @spec D2-4.3 */
export async function generates(side: RunSide, run: string, { values, pdfs = {} }: GenerationParts): Promise<Generated> {
  const otk = createOneTimeKey();
  const inputs: Generation['inputs'] = [];
  for (const [source_key, pdf] of Object.entries(pdfs)) {
    const { input } = await side.uploadInput(run, { source_key, value: await sealBox(otk, envelopeOf(pdf)) });
    inputs.push({ source_key, input });
  }
  return side.generate(run, { otk, values: await sealBox(otk, Buffer.from(JSON.stringify(values))), inputs });
}

/** The envelope in which a file answer holds a PDF. @spec D2-4.2 */
export const envelopeOf = (pdf: Uint8Array): Buffer => {
  const file = `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`;
  return Buffer.from(JSON.stringify({ file, original_name: 'own.pdf', mime_type: 'application/pdf', size: pdf.length }));
};

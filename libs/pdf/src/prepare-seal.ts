import { createHash } from 'node:crypto';
import { readPageTree, type PageTree } from './file/pages.ts';
import { PdfFile } from './file/pdf-file.ts';
import { changed, Update, writeDate, writeItems, writeRef, writeText } from './file/update.ts';
import { isCount, Ref } from './file/values.ts';
import type { PdfLimits } from './limits.ts';

/** What a seal says about itself, inside what it seals. */
export interface SealWords {
  reason: string;
  /** Who seals, as readers show it. */
  signer: string;
  /** When, as the platform says. */
  time: Date;
}

export interface PrepareOptions extends SealWords {
  /** How many bytes are kept for the signature. */
  signatureBytes: number;
  /** How many bytes at the beginning are the document that people signed, where pages were appended to it since; all of it by default. */
  signedLength?: number | undefined;
  limits?: Partial<PdfLimits> | undefined;
  /** Adds pages in the same update, with the field on the first of them, which is the answer. */
  pages?: ((update: Update, tree: PageTree, field: Ref) => Ref) | undefined;
}

/** All of a sealed file but its signature. What is behind `original` is new. */
export interface PreparedSeal {
  update: Buffer;
  /** The signature's place in the whole file, `<` and `>` included: the one part that is not signed. */
  gap: { start: number; end: number };
}

/** The entry that says how many bytes are the signed document; it is itself under the seal. */
export const SIGNED_LENGTH = 'CDSV_SignedLength';
/** Wide enough for four numbers of ten digits. */
const RANGE_WIDTH = 50;

/** Writes the update that will hold the seal. It needs no key, so that it can be done where a hostile file does no harm. @spec D1-2.12.5 */
export function prepareSeal(original: Buffer, options: PrepareOptions): PreparedSeal {
  const file = new PdfFile(original, options.limits);
  const tree = readPageTree(file);
  const update = new Update(file);
  const field = update.reserve();
  const page = options.pages?.(update, tree, field) ?? tree.firstPage;
  const value = writeSignature(update, options, original);
  const name = `Seal ${createHash('sha256').update(original).digest('hex').slice(0, 16)}`;
  const words = `/Type /Annot /Subtype /Widget /FT /Sig /T ${writeText(name)} /V ${writeRef(value.ref)} /F 132 /Rect [0 0 0 0]`;
  update.write(field, `<< ${words} /P ${writeRef(page)} >>`);
  listInForm(update, field);
  addAnnotation(update, page, field);
  const bytes = update.finish();
  const start = original.length + value.contentsAt;
  const gap = { start, end: start + 2 * options.signatureBytes + 2 };
  const range = `[0 ${gap.start} ${gap.end} ${original.length + bytes.length - gap.end}]`;
  bytes.write(range.padEnd(RANGE_WIDTH), value.rangeAt, 'latin1');
  return { update: bytes, gap };
}

/** The signature dictionary, with room for its range and its contents. Answers where these stand in the update. */
function writeSignature(update: Update, options: PrepareOptions, original: Buffer) {
  const ref = update.reserve();
  const head = `${ref.num} 0 obj\n`.length;
  const before = '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached\n/ByteRange ';
  const between = `\n/Contents `;
  const said = `/Name ${writeText(options.signer)} /Reason ${writeText(options.reason)} /M ${writeDate(options.time)}`;
  const after = `\n${said} /${SIGNED_LENGTH} ${options.signedLength ?? original.length} >>`;
  const rangeAt = update.length + head + before.length;
  const contentsAt = rangeAt + RANGE_WIDTH + between.length;
  update.write(ref, before, ' '.repeat(RANGE_WIDTH), between, `<${'0'.repeat(2 * options.signatureBytes)}>`, after);
  return { ref, rangeAt, contentsAt };
}

/** Adds the field to the form of the document, which may be part of the catalog, an object of its own, or missing. */
function listInForm(update: Update, field: Ref): void {
  const { file } = update;
  const root = file.root();
  const form = root.dict.get('AcroForm');
  const dict = file.dictOf(form);
  const fields = file.resolve(dict?.get('Fields'));
  const flags = file.resolve(dict?.get('SigFlags'));
  const changes = {
    Fields: `[${writeItems(Array.isArray(fields) ? fields : [], [field])}]`,
    SigFlags: String((isCount(flags) ? flags : 0) | 3), // signatures exist, and only appending keeps them
  };
  if (dict && form instanceof Ref) return update.write(form, changed(dict, changes));
  const text = dict ? changed(dict, changes).toString('latin1') : `<< /Fields ${changes.Fields} /SigFlags 3 >>`;
  update.write(root.ref, changed(root.dict, { AcroForm: text }));
}

/** A field is also an annotation of a page; a page that we have just written has it already. */
function addAnnotation(update: Update, page: Ref, field: Ref): void {
  const dict = update.file.dictOf(page);
  if (!dict) return;
  const annotations = update.file.resolve(dict.get('Annots'));
  update.write(page, changed(dict, { Annots: `[${writeItems(Array.isArray(annotations) ? annotations : [], [field])}]` }));
}

import { createHash } from 'node:crypto';
import { readPageTree, type PageTree } from './file/pages.ts';
import { PdfFile } from './file/pdf-file.ts';
import { changed, Update, writeDate, writeItems, writeRef, writeText } from './file/update.ts';
import { isCount, Ref } from './file/values.ts';
import type { PdfLimits } from './limits.ts';

/** What a seal says about itself. The seal covers these words too. */
export interface SealWords {
  reason: string;
  /** The name of the sealing party, which PDF readers show. */
  signer: string;
  /** The time of sealing by the platform's clock. */
  time: Date;
}

export interface PrepareOptions extends SealWords {
  /** How many bytes are reserved for the signature. */
  signatureBytes: number;
  /** The length of the document that people signed, when pages were appended to it since. By default the whole file. */
  signedLength?: number | undefined;
  limits?: Partial<PdfLimits> | undefined;
  /** Adds pages in the same update, with the signature field on the first of them, and returns that first page. */
  pages?: ((update: Update, tree: PageTree, field: Ref) => Ref) | undefined;
}

/** A sealed file except for its signature: the update is appended to `original`. */
export interface PreparedSeal {
  update: Buffer;
  /** The position of the signature in the whole file, `<` and `>` included. It is the only part that is not signed. */
  gap: { start: number; end: number };
}

/** The entry with the length of the signed document. The seal covers this entry too. */
export const SIGNED_LENGTH = 'CDSV_SignedLength';
/** The width of the byte range: enough for four numbers of ten digits. */
const RANGE_WIDTH = 50;

/** Writes the update that will hold the seal. Without a key, so a hostile file does no harm in its process. @spec D1-2.12.5 */
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

/** Writes the signature dictionary, with space reserved for its range and its contents. Returns where they stand in the update. */
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
    SigFlags: String((isCount(flags) ? flags : 0) | 3), // flags: signatures exist, and the file may only be changed by appending
  };
  if (dict && form instanceof Ref) return update.write(form, changed(dict, changes));
  const text = dict ? changed(dict, changes).toString('latin1') : `<< /Fields ${changes.Fields} /SigFlags 3 >>`;
  update.write(root.ref, changed(root.dict, { AcroForm: text }));
}

/** Adds the field to the page's annotations. A page that this update has just written has the field already. */
function addAnnotation(update: Update, page: Ref, field: Ref): void {
  const dict = update.file.dictOf(page);
  if (!dict) return;
  const annotations = update.file.resolve(dict.get('Annots'));
  update.write(page, changed(dict, { Annots: `[${writeItems(Array.isArray(annotations) ? annotations : [], [field])}]` }));
}

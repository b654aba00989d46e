import { Parser } from './file/parser.ts';
import { PdfFile } from './file/pdf-file.ts';
import { Dict, Ref, type Value } from './file/values.ts';
import { Budget, MAX_DEPTH, type PdfLimits } from './limits.ts';
import { asRefusal, PdfRefusal, type PdfReason } from './refusal.ts';

/** A signature dictionary of the file. */
export interface FoundSignature {
  dict: Dict;
  /** Whether the document's form lists the signature in the newest revision. */
  isListed: boolean;
}

/** The most signatures that are reported: no document has more in practice, and each costs a pass over the whole file. */
const MAX_SIGNATURES = 32;
/** How far before its `ByteRange` the object of a signature may begin, because its contents can stand between the two. */
const LONGEST_CONTENTS = 1024 * 1024;

/**
 * Finds every signature of a file: those that its form lists, and those in its bytes that a later update has removed from the form. When
 * the file cannot be read, `reason` says why, and the bytes are still searched.
 */
export function findSignatures(pdf: Buffer, limits: Partial<PdfLimits>): { signatures: FoundSignature[]; reason: PdfReason | null } {
  const listed = reading(() => listedSignatures(new PdfFile(pdf, limits)));
  const inBytes = reading(() => signaturesInBytes(pdf, new Budget(limits)));
  const offsets = new Set(listed.found.map(({ start }) => start));
  const unlisted = inBytes.found.filter(({ start }) => !offsets.has(start));
  const fitting = unlisted.filter((dict) => listed.found.length === 0 || isInSignatureField(dict));
  const signatures = [...listed.found.map((dict) => ({ dict, isListed: true })), ...fitting.map((dict) => ({ dict, isListed: false }))];
  return { signatures: signatures.slice(0, MAX_SIGNATURES), reason: listed.reason ?? inBytes.reason };
}

function reading(read: () => Dict[]): { found: Dict[]; reason: PdfReason | null } {
  try {
    return { found: read(), reason: null };
  } catch (error) {
    return { found: [], reason: asRefusal(error).reason };
  }
}

/** Whether the range of the signature fits its position. Those of a PDF attached inside this one do not: they count from there. */
function isInSignatureField(dict: Dict): boolean {
  const range = dict.get('ByteRange');
  return Array.isArray(range) && range[1] === dict.entries.get('Contents')?.start;
}

/** Returns the values of the signature fields. A broken field does not hide the others: a sealed file may have one. */
function listedSignatures(file: PdfFile): Dict[] {
  const found: Dict[] = [];
  const seen = new Set<number>();

  const visit = (value: Value, kind: string | undefined, depth: number): void => {
    if (depth > MAX_DEPTH || (value instanceof Ref && seen.has(value.num))) return;
    if (value instanceof Ref) seen.add(value.num);
    const field = file.dictOf(value);
    if (!field) return;
    const ownKind = file.nameOf(field.get('FT')) ?? kind;
    const signature = ownKind === 'Sig' ? file.dictOf(field.get('V')) : undefined;
    if (signature?.entries.has('ByteRange')) found.push(signature);
    const kids = file.resolve(field.get('Kids'));
    if (Array.isArray(kids)) for (const kid of kids) visit(kid, ownKind, depth + 1);
  };

  const fields = file.resolve(file.dictOf(file.root().dict.get('AcroForm'))?.get('Fields'));
  for (const field of Array.isArray(fields) ? fields : []) {
    const { reason } = reading(() => {
      visit(field, undefined, 0);
      return [];
    });
    if (reason === 'too_complex') throw new PdfRefusal(reason, 'a form that is too large');
  }
  return found;
}

/** Searches the bytes for signatures: their contents stand in the file itself, so their dictionaries are never compressed. */
function signaturesInBytes(pdf: Buffer, budget: Budget): Dict[] {
  const found: Dict[] = [];
  for (let at = pdf.indexOf('/ByteRange'); at >= 0; at = pdf.indexOf('/ByteRange', at + 1)) {
    budget.spend('sections', 1);
    const from = Math.max(0, at - LONGEST_CONTENTS);
    const begins = pdf.subarray(from, at).lastIndexOf('obj');
    const dict = begins < 0 ? undefined : signatureAt(pdf, from + begins + 3, budget);
    if (dict) found.push(dict);
  }
  return found;
}

function signatureAt(pdf: Buffer, at: number, budget: Budget): Dict | undefined {
  try {
    const value = new Parser(pdf, at, budget).value();
    const candidates = value instanceof Dict ? [value, value.get('V')] : [];
    return candidates.find((dict): dict is Dict => dict instanceof Dict && dict.entries.has('ByteRange') && dict.entries.has('Contents'));
  } catch (error) {
    if (asRefusal(error).reason === 'too_complex') throw error;
    return undefined;
  }
}

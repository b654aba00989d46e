import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Fault, readArguments, table, UsageFault } from '@codase/command-line';
import { PDF_LIMITS, verify as verifyPdf, type SignatureReport, type Verdict, type Verification } from '@codase/pdf/verify';
import { noWords, printable, TEXT, type Read } from './command.ts';

const OPTIONS = { certificate: { ...TEXT, multiple: true, default: [] as string[] } } as const;

const VERDICTS: Readonly<Record<Verdict, string>> = {
  sealed: 'Sealed by the platform, and whole: not one byte was changed or added since.',
  altered_after_seal: 'Altered after the seal: what was sealed is whole, and something was added to it. Trust the sealed part alone.',
  altered: 'Altered: the seal or a signature does not fit the file.',
  signed_by_others:
    "Signed and whole, but by a certificate that --certificate did not name. GET /api/seal-certificates has the platform's.",
  not_signed: 'Not signed: there is no seal in this file.',
  unreadable: 'Not readable as a PDF',
};

/** Shows whether the platform sealed a file. It needs no running service. */
export const verify: Read = (words) => {
  const { values, positionals } = readArguments(words, OPTIONS);
  const [file, ...rest] = positionals;
  if (file === undefined) throw new UsageFault('FILE is missing: name the PDF.');
  noWords(rest);
  return async ({ print }) => {
    const certificates = values.certificate.flatMap(readCertificates);
    const found = verifyPdf(readPdf(file), { certificates });
    print(inWords(found), found);
    return found.verdict === 'sealed' ? 0 : 1;
  };
};

function readPdf(path: string): Buffer {
  const { size } = reading(path, () => statSync(path));
  if (size > PDF_LIMITS.bytes) throw new Fault(`${path} is larger than ${PDF_LIMITS.bytes} bytes, which no sealed document is.`);
  return reading(path, () => readFileSync(path));
}

/** Returns all certificates of a PEM file, which may have the platform's present and earlier certificates. */
function readCertificates(path: string): X509Certificate[] {
  const blocks = reading(path, () => readFileSync(path, 'latin1')).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  try {
    if (blocks) return blocks.map((pem) => new X509Certificate(pem));
  } catch {
    // Falls through to the fault below, whose message says more than the library's error.
  }
  throw new Fault(`${path} has no certificate that can be read: give a PEM file.`);
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Fault(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

function inWords({ verdict, reason, bytes, sha256, signatures }: Verification): string {
  const sentence = reason === null ? VERDICTS[verdict] : `${VERDICTS[verdict].replace(/\.$/, '')} (${reason}).`;
  const file = [['file', `${bytes} bytes, SHA-256 ${sha256}`]];
  return [sentence, table(file), ...signatures.map((signature, nth) => `\nsignature ${nth + 1}\n${table(rowsOf(signature))}`)].join('\n');
}

function rowsOf(signature: SignatureReport): string[][] {
  const { certificate, timestamp, signed } = signature;
  const covered = signature.covers_whole_file ? 'the whole file' : `not the whole file: ${signature.bytes_after} bytes follow`;
  const rows: [string, string | null | undefined][] = [
    ['  state', signature.why === null ? signature.state : `${signature.state}. ${signature.why}`],
    ['  covers', covered],
    ['  by', certificate?.subject],
    ['  certificate', certificate && `SHA-256 ${certificate.fingerprint_sha256}${signature.by_this_platform ? ', of the platform' : ''}`],
    ['  says it is', signature.signer],
    ['  reason', signature.reason],
    ['  at', signature.claimed_at && `${signature.claimed_at}, by its own clock`],
    ['  timestamp', timestamp && `${timestamp.at}, by ${timestamp.certificate.subject}`],
    ['  signed document', signed && `the first ${signed.bytes} bytes, SHA-256 ${signed.sha256}`],
  ];
  return rows.flatMap(([name, value]) => (value ? [[name, printable(value)]] : []));
}

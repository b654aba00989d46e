import { readFileSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { DocumentToSend, FileToSend } from '@codase/client';
import { CopyStatus, DOCUMENT_MAX_MB, DocumentKind, type CompanyDocument } from '@codase/contracts';
import { Fault, table, UsageFault } from '@codase/command-line';
import { clientCommands } from './client-with.ts';
import { FLAG, noWords, oneOf, printable, readDay, readLimit, TEXT } from './command.ts';
import { atDisk, writeFile } from './local-file.ts';

// The commands for documents that a company sends to its customers. They use the same client as the company's own services.

const command = clientCommands({
  'documents.recipient_encrypted': ' It is for its recipient alone until all have signed or accepted it: npm run codase -- trigger sign.',
  'documents.contract_immutable': ' What is signed or accepted stays as it is: send another document.',
  'documents.not_found': ' npm run codase -- documents list shows what there is.',
  'keys.not_found': ' --to is the share code of a customer, such as ANA.',
  'company_data.connection_not_found':
    ' Whoever has this code is not connected: npm run codase -- trigger connection_created --person CODE.',
});

export const listDocuments = command({ connection: TEXT, status: TEXT, most: TEXT }, (values, words) => {
  noWords(words);
  const { connection: connection_id } = values;
  const status = values.status === undefined ? undefined : oneOf(CopyStatus.options, 'A status', values.status);
  const limit = readLimit(values.most);
  return async (codase, { print }) => {
    const { items, next_cursor } = await codase.documents.list({ limit, connection_id, status });
    const rows = items.map(({ id, status: now, kind, created_at, person_user_id, name }) =>
      [id, now, kind, created_at, person_user_id ?? 'everybody', name].map(printable),
    );
    print(rows.length === 0 ? 'No documents.' : table(rows), { items, next_cursor });
  };
});

export const showDocument = command({}, (_, words) => {
  const id = readId(words);
  return async (codase, { print }) => {
    const document = await codase.documents.read(id);
    print(inWords(document), document);
  };
});

const TERMS = { name: TEXT, kind: TEXT, type: TEXT, sign: FLAG, accept: FLAG, cancellable: FLAG };

export const sendDocument = command({ ...TERMS, to: TEXT, everybody: FLAG, key: TEXT }, (values, [path, ...rest]) => {
  if (path === undefined) throw new UsageFault('FILE is missing: name the file to send.');
  noWords(rest);
  const { to, everybody, sign, accept, key } = values;
  if ((to === undefined) !== everybody)
    throw new UsageFault('Say for whom it is: --to CODE for one customer, or --everybody, in the clear.');
  if (everybody && (sign || accept))
    throw new UsageFault('A contract has one recipient: give --to CODE, or leave --sign and --accept away.');
  const kind = values.kind === undefined ? undefined : oneOf(DocumentKind.options, 'A kind', values.kind);
  const terms = {
    name: values.name ?? basename(path),
    ...(kind && { kind }),
    ...(sign && { requires_signature: true }),
    ...(accept && { requires_acceptance: true }),
    ...(values.cancellable && { metadata: { can_be_cancelled_in_app: true } }),
  };
  return async (codase, { print, signal }) => {
    const document: DocumentToSend = { ...terms, ...payloadOf(path, values.type) };
    const options = { signal, ...(key !== undefined && { key }) };
    const sent =
      to === undefined
        ? await codase.documents.broadcast(document, options)
        : await codase.documents.send({ share_code: to }, document, options);
    print(`${sent.id} is ${sent.status}`, sent);
  };
});

export const replaceFile = command({ type: TEXT }, ({ type }, [given, path, ...rest]) => {
  const id = readId(given === undefined ? [] : [given]);
  if (path === undefined) throw new UsageFault('FILE is missing: name the file to put in place.');
  noWords(rest);
  return async (codase, { print, signal }) => {
    const replaced = await codase.documents.replaceFile(id, fileOf(path, type), { signal });
    print(`${replaced.id} has another file now`, replaced);
  };
});

export const cancelDocument = command({ on: TEXT }, ({ on }, words) => {
  const id = readId(words);
  const effective_date = on === undefined ? undefined : readDay('--on', on);
  return async (codase, { print }) => {
    const document = await codase.documents.cancel(id, effective_date === undefined ? {} : { effective_date });
    print(`${document.id} is ${document.status}${effective_date === undefined ? '' : ` until ${effective_date}`}`, document);
  };
});

export const downloadDocument = command({ to: TEXT }, ({ to }, words) => {
  const id = readId(words);
  return async (codase, { print, signal }) => {
    const { document, file, json, verification } = await codase.documents.download(id, { signal });
    // The name inside the file comes from its sender and may be hostile, so it does not decide where the file is written.
    const path = to ?? `${document.id}${file ? (verification ? '.pdf' : '') : '.json'}`;
    const bytes = file ? file.bytes : Buffer.from(JSON.stringify(json, null, 2));
    writeFile(path, bytes);
    const said = verification ? `sealed and whole, SHA-256 of what was signed ${document.plain_sha256}` : 'in the clear, as it was sent';
    print(`${path}: ${bytes.length} bytes, ${said}`, { path, bytes: bytes.length, document, verification });
  };
});

function readId([id, ...rest]: readonly string[]): string {
  if (id === undefined) throw new UsageFault('ID is missing: name the document, as in doc_….');
  noWords(rest);
  if (!/^[\w-]{1,64}$/.test(id)) throw new UsageFault(`'${id}' is no id of a document.`);
  return id;
}

const TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.txt': 'text/plain',
};

/** Returns the content of a file to send: as JSON when its name ends with .json, otherwise as a file. */
function payloadOf(path: string, given: string | undefined): { json: unknown } | { file: FileToSend } {
  if (extname(path).toLowerCase() !== '.json' || given !== undefined) return { file: fileOf(path, given) };
  try {
    return { json: JSON.parse(read(path).toString('utf8')) as unknown };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(`${path} is not JSON: mend it, or send it as a file with --type application/json.`);
  }
}

function fileOf(path: string, given: string | undefined): FileToSend {
  const bytes = read(path);
  const type = given ?? TYPES[extname(path).toLowerCase()];
  if (type === undefined) throw new Fault(`What kind of file ${path} is, its name does not say: give --type, such as application/pdf.`);
  return { bytes, name: basename(path), type };
}

function read(path: string): Buffer {
  const { size } = atDisk(path, () => statSync(path));
  if (size > DOCUMENT_MAX_MB * 1024 * 1024)
    throw new Fault(`${path} is longer than ${DOCUMENT_MAX_MB} MB, which is what a document may be.`);
  return atDisk(path, () => readFileSync(path));
}

function inWords(document: CompanyDocument): string {
  const rows: [string, string | null][] = [
    ['document', document.id],
    ['name', document.name],
    ['status', document.status],
    ['kind', `${document.kind}, ${document.payload_kind}`],
    ['for', document.person_user_id ?? 'everybody'],
    ['connection', document.connection_id],
    ['created', document.created_at],
    ['sealed', document.sealed_at],
    ['ends on', document.cancel_effective_date],
    ['SHA-256', document.plain_sha256],
    ...Object.entries(document.metadata).map(([name, value]): [string, string] => [`  ${name}`, JSON.stringify(value)]),
    ...document.signatures.map(
      ({ action, created_at, method, signer_first_name, signer_last_name, signer_name_verified }): [string, string] => [
        action,
        [created_at, method, signer_first_name, signer_last_name, signer_name_verified ? '(verified name)' : null]
          .filter(Boolean)
          .join(' '),
      ],
    ),
  ];
  return table(rows.flatMap(([name, value]) => (value === null ? [] : [[printable(name), printable(value)]])));
}

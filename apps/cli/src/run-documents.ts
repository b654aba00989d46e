import type { ActedCopy, CodaseClient, RunDocument } from '@codase/client';
import { Fault, readArguments, table, UsageFault } from '@codase/command-line';
import { DEMO } from '@codase/stack';
import { clientWith } from './client-with.ts';
import { noWords, oneOf, type Read } from './command.ts';
import { readRun } from './flows.ts';
import { writeFile } from './local-file.ts';

// The commands for the documents that runs made. The company signs its own copies.

const withClient = clientWith({
  'flows.run_not_found': ' npm run codase -- flows runs shows what there is.',
  'flows.no_document': ' npm run codase -- flows documents RUN shows what the run has made.',
  'documents.transition_invalid': ' npm run codase -- flows documents RUN shows whose turn it is.',
});

const SERVICE = { service: { type: 'string', default: DEMO.service as string } } as const;

export const listRunDocuments: Read = (words) => {
  const { values, positionals } = readArguments(words, SERVICE);
  const id = readRun(positionals);
  return withClient(values.service, async (codase, { print }) => {
    const documents = await codase.flows.documents(id);
    print(documents.length === 0 ? 'No documents.' : table(documents.map(rowOf)), { documents });
    return 0;
  });
};

const rowOf = ({ open, own, position, output_key, party_key, document_status, action, acted_at, document_id }: RunDocument): string[] => [
  open ? '>' : ' ',
  position === null ? '-' : String(position),
  output_key,
  own ? `${party_key} (the company)` : party_key,
  document_status,
  action === null ? '' : `${action} ${acted_at ?? ''}`,
  document_id,
];

const ACT = { ...SERVICE, party: { type: 'string' } } as const;
const partyIn = ({ party: party_key }: { party?: string | undefined }) => (party_key === undefined ? {} : { party_key });

const SIGN = {
  ...ACT,
  'first-name': { type: 'string' },
  'last-name': { type: 'string' },
  method: { type: 'string', default: 'custodian' },
} as const;
const METHODS = ['custodian', 'twofa', 'email'] as const;

export const signOutput: Read = (words) => {
  const { values, positionals } = readArguments(words, SIGN);
  const position = readRunAndOutput(positionals);
  const { 'first-name': first_name, 'last-name': last_name } = values;
  if (!first_name || !last_name) throw new UsageFault('Say who signs for the company: --first-name NAME --last-name NAME.');
  const method = oneOf(METHODS, 'A method', values.method);
  return act(
    values.service,
    (codase, signal) => codase.flows.sign(...position, { method, first_name, last_name }, { ...partyIn(values), signal }),
    'signed',
  );
};

export const acceptOutput: Read = (words) => {
  const { values, positionals } = readArguments(words, ACT);
  const position = readRunAndOutput(positionals);
  return act(values.service, (codase, signal) => codase.flows.accept(...position, { ...partyIn(values), signal }), 'accepted');
};

export const declineOutput: Read = (words) => {
  const { values, positionals } = readArguments(words, ACT);
  const position = readRunAndOutput(positionals);
  return act(values.service, (codase) => codase.flows.decline(...position, partyIn(values)), 'declined, and the run is cancelled');
};

const act = (service: string, work: (codase: CodaseClient, signal: AbortSignal) => Promise<ActedCopy>, done: string) =>
  withClient(service, async (codase, { print, signal }) => {
    const copy = await work(codase, signal);
    print(`${copy.output_key} is ${done}: the company's copy is ${copy.document_status}`, copy);
    return 0;
  });

const DOWNLOAD = { ...SERVICE, to: { type: 'string' } } as const;

export const downloadOutput: Read = (words) => {
  const { values, positionals } = readArguments(words, DOWNLOAD);
  const [run, output] = readRunAndOutput(positionals);
  return withClient(values.service, async (codase, { print, signal }) => {
    const file = await codase.flows.outputFile(run, output, { signal });
    if (!file.bytes) throw new Fault(`${output} of ${run} is not one file.`);
    const path = values.to ?? `${run}-${output}.pdf`;
    writeFile(path, file.bytes);
    print(`${path}: ${file.bytes.length} bytes`, { path, bytes: file.bytes.length, type: file.type });
    return 0;
  });
};

function readRunAndOutput([run, output, ...rest]: readonly string[]): [run: string, output: string] {
  const id = readRun(run === undefined ? [] : [run]);
  if (output === undefined)
    throw new UsageFault('OUTPUT is missing: name the document by its key, as npm run codase -- flows documents shows it.');
  noWords(rest);
  if (!/^[\w-]{1,64}$/.test(output)) throw new UsageFault(`'${output}' is no key of a document.`);
  return [id, output];
}

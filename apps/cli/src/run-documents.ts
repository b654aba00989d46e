import type { ActedCopy, CodaseClient, RunDocument } from '@codase/client';
import { Fault, table, UsageFault } from '@codase/command-line';
import { clientCommands } from './client-with.ts';
import { noWords, oneOf, TEXT, textOr, type Context } from './command.ts';
import { readRun } from './flows.ts';
import { writeFile } from './local-file.ts';

// The commands for the documents that runs made. The company signs its own copies.

const command = clientCommands({
  'flows.run_not_found': ' npm run codase -- flows runs shows what there is.',
  'flows.no_document': ' npm run codase -- flows documents RUN shows what the run has made.',
  'documents.transition_invalid': ' npm run codase -- flows documents RUN shows whose turn it is.',
});

export const listRunDocuments = command({}, (_, words) => {
  const id = readRun(words);
  return async (codase, { print }) => {
    const documents = await codase.flows.documents(id);
    print(documents.length === 0 ? 'No documents.' : table(documents.map(rowOf)), { documents });
  };
});

const rowOf = ({ open, own, position, output_key, party_key, document_status, action, acted_at, document_id }: RunDocument): string[] => [
  open ? '>' : ' ',
  position === null ? '-' : String(position),
  output_key,
  own ? `${party_key} (the company)` : party_key,
  document_status,
  action === null ? '' : `${action} ${acted_at ?? ''}`,
  document_id,
];

const partyIn = ({ party: party_key }: { party?: string | undefined }) => (party_key === undefined ? {} : { party_key });

const SIGN = { party: TEXT, 'first-name': TEXT, 'last-name': TEXT, method: textOr('custodian') };
const METHODS = ['custodian', 'twofa', 'email'] as const;

export const signOutput = command(SIGN, (values, words) => {
  const position = readRunAndOutput(words);
  const { 'first-name': first_name, 'last-name': last_name } = values;
  if (!first_name || !last_name) throw new UsageFault('Say who signs for the company: --first-name NAME --last-name NAME.');
  const method = oneOf(METHODS, 'A method', values.method);
  const signer = { method, first_name, last_name };
  return act('signed', (codase, signal) => codase.flows.sign(...position, signer, { ...partyIn(values), signal }));
});

export const acceptOutput = command({ party: TEXT }, (values, words) => {
  const position = readRunAndOutput(words);
  return act('accepted', (codase, signal) => codase.flows.accept(...position, { ...partyIn(values), signal }));
});

export const declineOutput = command({ party: TEXT }, (values, words) => {
  const position = readRunAndOutput(words);
  return act('declined, and the run is cancelled', (codase) => codase.flows.decline(...position, partyIn(values)));
});

const act =
  (done: string, work: (codase: CodaseClient, signal: AbortSignal) => Promise<ActedCopy>) =>
  async (codase: CodaseClient, { print, signal }: Context): Promise<void> => {
    const copy = await work(codase, signal);
    print(`${copy.output_key} is ${done}: the company's copy is ${copy.document_status}`, copy);
  };

export const downloadOutput = command({ to: TEXT }, ({ to }, words) => {
  const [run, output] = readRunAndOutput(words);
  return async (codase, { print, signal }) => {
    const file = await codase.flows.outputFile(run, output, { signal });
    if (!file.bytes) throw new Fault(`${output} of ${run} is not one file.`);
    const path = to ?? `${run}-${output}.pdf`;
    writeFile(path, file.bytes);
    print(`${path}: ${file.bytes.length} bytes`, { path, bytes: file.bytes.length, type: file.type });
  };
});

function readRunAndOutput([run, output, ...rest]: readonly string[]): [run: string, output: string] {
  const id = readRun(run === undefined ? [] : [run]);
  if (output === undefined)
    throw new UsageFault('OUTPUT is missing: name the document by its key, as npm run codase -- flows documents shows it.');
  noWords(rest);
  if (!/^[\w-]{1,64}$/.test(output)) throw new UsageFault(`'${output}' is no key of a document.`);
  return [id, output];
}

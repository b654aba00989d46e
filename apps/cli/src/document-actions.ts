import type { IssuedDocument, Person } from '@codase/actors';
import { Fault } from '@codase/command-line';
import { Refusal } from '@codase/contracts';
import type { Action, ActionInput, ActionResult } from './demo-action.ts';

/** What a phone does with documents of the shop. It opens them here, and sends what is signed to the server under a one-time key. */
export const DOCUMENT_ACTIONS = {
  sign: {
    takesDocument: true,
    do: (person, input) =>
      act(person, input, { verb: 'signs', of: ['ready_to_sign'] }, async (document) => {
        const [signer_first_name = '', ...rest] = person.display_name.split(' ');
        const names = { signer_first_name, signer_last_name: rest.join(' ') || signer_first_name };
        return person.documents.signs(document, await pdfOf(person, document), names);
      }),
  },
  accept: {
    takesDocument: true,
    do: (person, input) =>
      act(person, input, { verb: 'accepts', of: ['offering'] }, async (document) =>
        person.documents.accepts(document, await pdfOf(person, document)),
      ),
  },
  decline: {
    takesDocument: true,
    do: (person, input) =>
      act(person, input, { verb: 'declines', of: ['ready_to_sign', 'offering'] }, (document) => person.documents.declines(document)),
  },
  cancel: {
    takesDocument: true,
    takesDay: true,
    do: (person, input) =>
      act(person, input, { verb: 'cancels', of: ['active'], isMeant: isCancellable }, (document) =>
        person.documents.cancels(document, input.day),
      ),
  },
} as const satisfies Record<string, Action>;

interface Sought {
  verb: string;
  of: readonly IssuedDocument['status'][];
  isMeant?: (document: IssuedDocument) => boolean;
}

const isCancellable = ({ metadata }: IssuedDocument): boolean => metadata.can_be_cancelled_in_app;

async function act(
  person: Person,
  { document_id }: ActionInput,
  sought: Sought,
  work: (document: IssuedDocument) => Promise<IssuedDocument>,
): Promise<ActionResult> {
  const document = document_id === undefined ? await newest(person, sought) : { ...(await reads(person, document_id)) };
  const { status } = await work(document).catch(inSentence);
  return { said: `${sought.verb} ${document.name}: it is ${status}`, document_id: document.id, status };
}

async function newest(person: Person, { of, isMeant = () => true, verb }: Sought): Promise<IssuedDocument> {
  const lists = await Promise.all(of.map((status) => person.documents.list({ status })));
  const found = lists
    .flat()
    .filter((document) => document.connection_id !== null && isMeant(document))
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at))[0];
  if (found) return found;
  const { share_code } = person;
  const terms = { signs: '--sign', accepts: '--accept', declines: '--sign', cancels: '--kind agreement --cancellable' }[verb] ?? '';
  throw new Fault(
    `There is nothing that ${share_code} ${verb} now: first do npm run codase -- documents send FILE --to ${share_code} ${terms}, ` +
      'and sign or accept what is to be cancelled.',
  );
}

const reads = (person: Person, id: string): Promise<IssuedDocument> => person.documents.reads({ id }).catch(inSentence);

/** Returns the PDF of a document, as the phone shows it. Undefined for a contract in JSON, which is signed without a PDF. */
async function pdfOf(person: Person, document: IssuedDocument): Promise<Buffer | undefined> {
  if (document.payload_kind === 'json') return undefined;
  const { value } = (await person.documents.fetches(document)) as { value: string };
  const { file } = JSON.parse(await person.opens(value)) as { file: string };
  return Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
}

function inSentence(error: unknown): never {
  throw error instanceof Refusal ? new Fault(`${error.message}.`, { cause: error }) : error;
}

import { envelopeOf, opened } from '@codase/actors';
import type { FlowDefinition, Generated, Run } from '@codase/contracts';
import { findTags } from '@codase/pdf';
import { many, sql } from '@codase/runtime/db';
import { generates, pdfThatShows, serviceSide, WorldFixture, type Company, type OwnConnection, type Person } from '@codase/testing';
import { createHash } from 'node:crypto';
import { envelope } from '../../sharing/connections/connections-world.ts';
import { ORDER_WITH_CONTRACT } from '../../services/flows/order-flow.ts';

/** The answers of a run, in the clear. */
export const VALUES = { quantity: '3', order_number: 'A-17' };

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The template of the contract: a value, a constant, and a tag that nothing answers. */
const TEMPLATE = pdfThatShows('You pay {{total}} for {{quantity}}, order {{order_number}}{{nobody}}.');

/** The flow of `order-flow.ts`, with some of it changed. */
export const contractWith = (change: (definition: FlowDefinition) => void = () => undefined): FlowDefinition => {
  const definition = structuredClone(ORDER_WITH_CONTRACT) as unknown as FlowDefinition;
  change(definition);
  return definition;
};

/** The last step of the flow. */
export const leafOf = (definition: FlowDefinition) => definition.nodes.at(-1)!;

/** Publishes a flow with its templates. Returns its id. */
export async function publishesContract(
  company: Company,
  service_id: string,
  draft: FlowDefinition,
  templates: Readonly<Record<string, Buffer>> = { contract: TEMPLATE },
): Promise<string> {
  const begun = await company.flows.begins(service_id);
  for (const [asset_key, pdf] of Object.entries(templates))
    await company.flows.uploads(begun, asset_key, envelope('application/pdf', pdf.toString('latin1')));
  return (await company.flows.publishes(service_id, { ...draft }, begun)).id;
}

/** Opens a copy of a document, and returns its PDF. */
export async function openedPdf(reader: { opens(wrapper: string): Promise<string> }, answer: unknown): Promise<Buffer> {
  const { file } = JSON.parse(await reader.opens((answer as { value: string }).value)) as { file: string };
  return Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
}

/** The tags that a PDF still has. */
export const tagsLeft = (pdf: Buffer): string[] => findTags(pdf);

/** Returns the signing line of a run, a line for each copy: output, party, place, status and what its party did. */
export const lineOf = ({ participants }: Pick<Run, 'participants'>): string[] =>
  participants
    .flatMap(({ party_key, documents }) => documents.map((copy) => ({ party_key, ...copy })))
    .sort((one, other) => (one.position ?? 99) - (other.position ?? 99))
    .map(({ output_key, party_key, position, document_status, action }) =>
      [output_key, party_key, position ?? '-', document_status, action ?? '-'].join(' '),
    );

export const idOf = ({ documents }: Generated, party_key: string, output_key = 'contract'): { id: string } => ({
  id: documents.find((one) => one.party_key === party_key && one.output_key === output_key)!.document_id,
});

type Signers = { party: string; action: 'sign' | 'accept' }[];

/** The flow with other signers of its contract. */
export const contractSignedBy = (signers: Signers): FlowDefinition =>
  contractWith((definition) => {
    leafOf(definition).output!.documents[0]!.rules[0]!.signers = signers;
  });

/** A flow whose contract is the lease that the customer gives. Without one no rule matches, unless the customer reads German. */
export const leaseFilledBy = (party: 'company' | 'customer', signers: Signers = [{ party: 'company', action: 'accept' }]): FlowDefinition =>
  contractWith((definition) => {
    definition.nodes[0]!.elements.push({ kind: 'field', slug: 'lease', label: 'Lease', type: 'pdf_document', required: false });
    const leaf = leafOf(definition);
    leaf.party = party;
    leaf.output!.documents[0]!.rules = [
      { source_field: 'lease', languages: 'all', signers },
      { asset_key: 'contract', languages: ['de'], signers },
    ];
  });

/** A signature of the owner, without the words of a person. */
export const signatureOf = async (pdf: Uint8Array) => ({
  method: 'custodian' as const,
  signer_first_name: 'Grace',
  signer_last_name: 'Example',
  ...(await opened(pdf)),
});

/** A run that a person plays with the shop. */
export interface PlayedContract {
  run: Run;
  person: Person;
  connection: OwnConnection;
  flow: string;
}

/** A shop whose runs end with documents, and the database for what no caller sees. */
export class RunDocumentsWorld extends WorldFixture {
  publishes = (draft: FlowDefinition) => publishesContract(this.world.acme, this.shop.service_id!, draft);

  /** Starts a run, and answers it as far as its last step. */
  begins = async (flow: string, { region = 'eu', lease }: { region?: 'eu' | 'us'; lease?: Buffer } = {}): Promise<PlayedContract> => {
    const { person, connection } = await this.connected(region);
    const run = await this.shop.flows.starts(flow, { target: { connection_id: connection.id }, flow_version: 1 });
    const files = lease ? [await person.flows.attaches(connection, run, 'lease', envelopeOf(lease).toString())] : [];
    await person.flows.answers(connection, run, { quantity: '3' }, { next_node: 'confirm' }, files);
    return { run, person, connection, flow };
  };

  /** Plays a run to the point where the party that owns its last step generates. */
  atLeaf = async (flow: string, given: Parameters<typeof this.begins>[1] = {}): Promise<PlayedContract> => {
    const played = await this.begins(flow, given);
    const { run, person, connection } = played;
    const last = { order_number: 'A-17' };
    if (run.definition.nodes.at(-1)!.party === 'company') await this.shop.flows.answers(run, last, { leaf: true }, [person]);
    else await person.flows.answers(connection, run, last, { leaf: true });
    return played;
  };

  /** Plays a run until its documents wait to be signed. */
  signing = async (flow: string, given: Parameters<typeof this.begins>[1] = {}) => {
    const played = await this.atLeaf(flow, given);
    const made = await generates(serviceSide(this.shop), played.run.id, { values: VALUES });
    return { ...played, made, pdf: await this.pdfOf(played.run) };
  };

  /** Reads the company's own copy of the contract. */
  pdfOf = async (run: Pick<Run, 'id'>) => openedPdf(this.shop, await this.shop.flows.fetchesOutput(run, 'contract'));

  /** The number of stored files that belong to no document, and of inputs of a run that wait. */
  waiting = async ({ id }: Pick<Run, 'id'>) => ({
    uploads: (await many(this.db, sql`select from document_content where document_id is null`)).length,
    inputs: (await many(this.db, sql`select from flow_run_input where run_id = ${id}`)).length,
  });
}

import type { FlowDefinition, Generated, Run } from '@cds/contracts';
import { findTags } from '@cds/pdf';
import type { Company } from '@cds/testing';
import { createHash } from 'node:crypto';
import { envelope } from './connections-world.ts';
import { ORDER_WITH_CONTRACT, pdfThatShows } from './order-flow.ts';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The template of the contract: a value, a constant, and a tag that nothing answers. */
export const TEMPLATE = pdfThatShows('You pay {{total}} for {{quantity}}, order {{order_number}}{{nobody}}.');

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

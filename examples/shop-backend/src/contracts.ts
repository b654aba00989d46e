import { createHash } from 'node:crypto';
import type { CodaseClient, Handlers } from '@codase/client';
import { Refusal, type CompanyDocument } from '@codase/contracts';
import type { PoolClient } from 'pg';
import { contractPdf } from './contract-pdf.ts';
import { findContract, noteContract, saveContract, saveSignedPdf } from './contract-table.ts';
import { findCustomer, type Customer } from './customer-table.ts';

/**
 * Sends a new customer a contract to sign. The PDF is sealed to its reader in this process, so the platform cannot read it. The handler may
 * run twice: because of the idempotency key the person still gets one contract, and the same connection gives the same bytes.
 */
export async function sendContract(
  codase: CodaseClient,
  tx: PoolClient,
  { person_id, connection_id, name, connected_at }: Customer,
): Promise<void> {
  const pdf = contractPdf([
    'Customer agreement of the shop',
    '',
    `For ${name}, customer since ${connected_at.toISOString().slice(0, 10)}.`,
    'The shop ships within three days and takes everything back for thirty.',
    'Either side may end this agreement on any day.',
  ]);
  const { id, status } = await codase.documents.send(
    { connection_id },
    {
      name: 'Customer agreement',
      kind: 'agreement',
      requires_signature: true,
      metadata: { can_be_cancelled_in_app: true },
      file: { bytes: pdf, name: 'Customer agreement.pdf', type: 'application/pdf' },
    },
    { key: `agreement-${connection_id}` },
  );
  const plain_sha256 = createHash('sha256').update(pdf).digest('hex');
  await noteContract(tx, { document_id: id, person_id, plain_sha256, status });
}

type DocumentHandlers = Pick<Handlers<PoolClient>, 'document_status_changed' | 'document_updated'>;

/**
 * Stores what became of contracts. An event only says that something changed, and of several events only the latest arrives. So the handler
 * reads the document, and downloads the sealed copy when there is one. The client verifies the copy before it returns it.
 */
export function contractHandlers(codase: CodaseClient, report: (line: string) => void): DocumentHandlers {
  async function refresh(document_id: string, tx: PoolClient): Promise<void> {
    const contract = await findContract(tx, document_id);
    const document = contract && (await codase.documents.read(document_id).catch(unlessGone));
    if (!document) return; // not a contract of this table, or deleted: nothing to store
    const name = (await findCustomer(tx, contract.person_id))?.name ?? contract.person_id;
    if (document.sealed_at !== null && !contract.has_signed_pdf) {
      const { file } = await codase.documents.download(document_id, { plain_sha256: contract.plain_sha256 });
      await saveSignedPdf(tx, document_id, file!.bytes);
      report(`${name} signed ${document.name}: sealed and verified`);
    }
    if (document.status === contract.status) return;
    await saveContract(tx, document_id, document.status);
    if (document.status !== 'active') report(`${document.name} of ${name} ${IN_WORDS[document.status]}`);
  }
  return {
    document_status_changed: ({ document_id }, { tx }) => refresh(document_id, tx),
    document_updated: ({ document_id }, { tx }) => refresh(document_id, tx),
  };
}

const IN_WORDS: Readonly<Record<Exclude<CompanyDocument['status'], 'active'>, string>> = {
  waiting: 'waits for others',
  offering: 'is offered',
  ready_to_sign: 'waits for a signature',
  active_but_ending: 'is cancelled for a later day',
  ended: 'is over',
};

/** Ignores the error of a document that was deleted meanwhile. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.key !== 'documents.not_found') throw error;
  return undefined;
}

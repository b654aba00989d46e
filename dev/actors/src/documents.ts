import { appDocuments, documents, type Output, type Request } from '@codase/contracts';
import { createOneTimeKey, sealBox, sha256Hex } from '@codase/crypto';
import type { Alike } from './alike.ts';
import { seals, type Recipient } from './keys.ts';
import { Facet, type Asks } from './stranger.ts';

export type IssuedDocument = Output<typeof documents.readDocument>;
type NewDocument = Request<typeof documents.createDocument>['body'];
type Change = Request<typeof documents.changeDocument>['body'];

/** The terms that differ from the default: a JSON document that needs neither a signature nor an acceptance. */
type Terms = Partial<Omit<NewDocument, 'target' | 'file'>>;

/** The documents that a company's backend sends to its customers. */
export class IssuedDocuments extends Facet {
  /** Issues a document as JSON to one customer, sealed to their key. @spec D1-2.12 */
  async issues(recipient: Recipient & { user_id: string }, terms: Terms = {}): Promise<IssuedDocument> {
    const value = await seals(recipient, terms.value ?? '{"price":12}');
    const target = { person_user_id: recipient.user_id };
    return this.actor.asks(documents.createDocument, { body: { name: 'Offer', payload_kind: 'json', ...terms, target, value } });
  }

  /** Issues a PDF to one customer, to be signed unless the terms say otherwise. */
  async issuesPdf(recipient: Recipient & { user_id: string }, pdf: Uint8Array, terms: Terms = {}): Promise<IssuedDocument> {
    const envelope = {
      file: `data:application/pdf;base64,${base64(pdf)}`,
      original_name: 'a.pdf',
      mime_type: 'application/pdf',
      size: pdf.length,
    };
    const [file, plain_sha256] = [await seals(recipient, JSON.stringify(envelope)), await sha256Hex(pdf)];
    const documentTerms = { requires_signature: terms.requires_acceptance !== true, ...terms };
    const body = {
      name: 'Lease',
      payload_kind: 'file',
      plain_sha256,
      ...documentTerms,
      target: { person_user_id: recipient.user_id },
      file,
    } as const;
    return this.actor.asks(documents.createDocument, { body });
  }

  reads({ id }: Pick<IssuedDocument, 'id'>): Promise<IssuedDocument> {
    return this.actor.asks(documents.readDocument, { params: { id } });
  }

  changes({ id }: Pick<IssuedDocument, 'id'>, body: Change): Promise<IssuedDocument> {
    return this.actor.asks(documents.changeDocument, { params: { id }, body });
  }

  deletes({ id }: Pick<IssuedDocument, 'id'>): Promise<unknown> {
    return this.actor.asks(documents.deleteDocument, { params: { id } });
  }
}

type Signature = Omit<Request<typeof appDocuments.signDocument>['body'], 'otk' | 'file'>;

/** What a customer does with the documents that companies sent them. @spec D1-3.3 */
export class ReceivedDocuments extends Facet {
  constructor(
    holder: Asks,
    private readonly contracts: Alike<typeof appDocuments> = appDocuments,
  ) {
    super(holder);
  }

  async list(query: Request<typeof appDocuments.listReceivedDocuments>['query'] = {}): Promise<IssuedDocument[]> {
    return (await this.actor.asks(this.contracts.listReceivedDocuments, { query })).items;
  }

  reads({ id }: Pick<IssuedDocument, 'id'>): Promise<IssuedDocument> {
    return this.actor.asks(this.contracts.readReceivedDocument, { params: { id } });
  }

  /** Fetches the payload: a wrapper, or plain bytes for a broadcast. */
  fetches({ id }: Pick<IssuedDocument, 'id'>): Promise<Output<typeof appDocuments.readReceivedFile>> {
    return this.actor.asks(this.contracts.readReceivedFile, { params: { id } });
  }

  /** Accepts a document. A file is accepted with its bytes, under a one-time key. */
  async accepts({ id }: Pick<IssuedDocument, 'id'>, pdf?: Uint8Array): Promise<IssuedDocument> {
    return this.actor.asks(this.contracts.acceptDocument, { params: { id }, body: await opened(pdf) });
  }

  async signs({ id }: Pick<IssuedDocument, 'id'>, pdf?: Uint8Array, signature: Partial<Signature> = {}): Promise<IssuedDocument> {
    const names = { signer_first_name: 'Ada', signer_last_name: 'Example' };
    const body = { method: 'biometric' as const, ...names, ...signature, ...(await opened(pdf)) };
    return this.actor.asks(this.contracts.signDocument, { params: { id }, body });
  }

  declines({ id }: Pick<IssuedDocument, 'id'>): Promise<IssuedDocument> {
    return this.actor.asks(this.contracts.declineDocument, { params: { id }, body: {} });
  }

  cancels({ id }: Pick<IssuedDocument, 'id'>, effective_date?: string): Promise<IssuedDocument> {
    const body = effective_date === undefined ? {} : { effective_date };
    return this.actor.asks(this.contracts.cancelDocument, { params: { id }, body });
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Returns the PDF of an act under a one-time key; nothing for a document without a file. */
export async function opened(pdf: Uint8Array | undefined): Promise<{ otk?: string; file?: string }> {
  if (!pdf) return {};
  const otk = createOneTimeKey();
  return { otk, file: await sealBox(otk, pdf) };
}

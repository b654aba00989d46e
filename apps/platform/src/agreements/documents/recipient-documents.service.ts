import { Inject, Injectable } from '@nestjs/common';
import { DOCUMENT_SUBJECTS, PIECE_CHARS, Refusal, type appDocuments, type CompanyDocument, type Input } from '@codase/contracts';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { ChunkedTransfer, isMaybeElsewhere, Peers, type PeerReply, type Search } from '../../foundation/peers/index.ts';
import { CONNECTION_SEARCH, listVerifications } from '../../sharing/connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import { piecesElsewhere, servedInClear, servedSealed } from '../../storage/files/index.ts';
import { pageOf, type ListPosition, type Page, type Slice } from '../../kit/paging.ts';
import type { ActFile } from './act-file.service.ts';
import { ContentReader } from './payloads.store.ts';
import type { Narrowed } from './documents.store.ts';
import { HolderDocuments, type StoredContent } from './holder-documents.service.ts';

type DocumentRequest = MessageOf<typeof DOCUMENT_SUBJECTS.act>;
type Act = DocumentRequest['act'];
type Signature = Omit<Input<typeof appDocuments.signDocument>['body'], 'otk' | 'file'>;
type Piece = PeerReply<typeof DOCUMENT_SUBJECTS.piece>;

/** A document in a list, and the region that listed it. */
type Listed = ListPosition & { region: string };

/** The time that reading a PDF may take, and some more. */
const SEALING = { timeout: 30_000 };

const SEARCH: Search = {
  companies: CONNECTION_SEARCH.companies,
  notFound: ['documents.not_found'],
  instead: { 'region.rebase_required': 'service.unavailable', 'platform.out_of_order': 'service.unavailable' },
};

/**
 * What a recipient at home in this region reads of documents and does with them, wherever the company lives. This region keeps no copy of a
 * document: each is read from its row in the region of its company whenever it is shown. @gap D1-1
 */
@Injectable()
export class RecipientDocuments {
  constructor(
    private readonly peers: Peers,
    private readonly holding: HolderDocuments,
    private readonly chunked: ChunkedTransfer,
    private readonly payloads: ContentReader,
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly attestations: Attestations,
  ) {}

  /** Merges the lists of all regions of the recipient, the newest first. */
  async list(user_id: string, { connection_id, status }: Narrowed, { limit, after }: Slice): Promise<Page<CompanyDocument>> {
    const request = {
      user_id,
      limit: limit + 1,
      after: after ? { at: after.at.toISOString(), id: after.id } : null,
      connection_id: connection_id ?? null,
      status: (status ?? null) as MessageOf<typeof DOCUMENT_SUBJECTS.positions>['status'],
    };
    const lists = await this.peers.gather(DOCUMENT_SUBJECTS.positions, request, SEARCH);
    const positions = lists.flatMap(({ region, reply }) => reply.positions.map(({ at, id }) => ({ at: new Date(at), id, region })));
    const { items, next_cursor } = pageOf(newestFirst(positions), limit, (position) => position);
    const documents: CompanyDocument[] = [];
    for (const position of items) documents.push(...(await this.readAt(position, user_id).then((found) => [found], unlessGone)));
    return { items: documents, next_cursor };
  }

  /** Reads a document from the region that listed it. Only when its company has moved since, the other regions are request. */
  private async readAt({ region, id: document_id }: Listed, user_id: string): Promise<CompanyDocument> {
    if (region === this.peers.region) return this.read(user_id, document_id);
    return this.peers.call(DOCUMENT_SUBJECTS.read, region, { user_id, document_id }).catch((error: unknown) => {
      if (!isMaybeElsewhere(error, SEARCH)) throw error;
      return this.read(user_id, document_id);
    });
  }

  read(user_id: string, document_id: string): Promise<CompanyDocument> {
    return this.peers.find(DOCUMENT_SUBJECTS.read, { user_id, document_id }, SEARCH);
  }

  /** Signs a document. Only the home region of the signer has the attestations of the signer's names. @spec D1-6.2 */
  async sign(user_id: string, document_id: string, signature: Signature, file: ActFile | undefined): Promise<CompanyDocument> {
    const known = await listVerifications(this.db, user_id, ['first_name', 'last_name']);
    const attested = (slug: string) => this.attestations.standing(known.find((one) => one.slug === slug)?.verification ?? {});
    const [first_name, last_name] = [attested('first_name'), attested('last_name')];
    const hasBoth = [first_name, last_name].every(({ attestation }) => attestation !== undefined);
    const act = { kind: 'sign', ...signature, signer_name_verified: false, ...(hasBoth && { names: { first_name, last_name } }) } as const;
    return this.act(user_id, document_id, act, file);
  }

  act(user_id: string, document_id: string, act: Act, file?: ActFile): Promise<CompanyDocument> {
    const request = { user_id, document_id, act };
    return this.peers.search(DOCUMENT_SUBJECTS.act, request, SEARCH, (region) =>
      region === this.peers.region
        ? this.peers.perform(DOCUMENT_SUBJECTS.act, request, () => this.holding.act(request, { file }))
        : this.actElsewhere(region, request, file),
    );
  }

  /** Performs an act in another region. It reads the document there first: a region that does not have it gets no file. */
  private async actElsewhere(region: string, request: DocumentRequest, file: ActFile | undefined): Promise<CompanyDocument> {
    const { act, user_id, document_id } = request;
    if (!file || (act.kind !== 'accept' && act.kind !== 'sign')) return this.peers.call(DOCUMENT_SUBJECTS.act, region, request);
    if (file.isOpened) throw new Refusal('service.unavailable'); // the company moved while the file was sealed here
    await this.peers.call(DOCUMENT_SUBJECTS.read, region, { user_id, document_id });
    const sent = { otk: file.otk, ...(await this.chunked.deposit(region, base64Of(file.box))) };
    return this.peers.call(DOCUMENT_SUBJECTS.act, region, { ...request, act: { ...act, sent } }, SEALING);
  }

  /** Serves the payload of a document: as a wrapper when it is sealed to the recipient, otherwise as it is. @spec D1-2.12 */
  async payload(user_id: string, document_id: string) {
    const request = { user_id, document_id };
    const first = { ...request, position: 1 };
    const found = await this.peers.search<StoredContent | Piece>(DOCUMENT_SUBJECTS.piece, first, SEARCH, (region) =>
      region === this.peers.region ? this.holding.content(request) : this.peers.call(DOCUMENT_SUBJECTS.piece, region, first),
    );
    const payload =
      'content' in found
        ? await this.payloads.read(found.content)
        : piecesElsewhere(found, (position) => this.piece({ ...request, position }, found.content_id));
    const bytes = 'content' in found ? found.content.served_bytes : null;
    return found.served_sha256 === null ? servedInClear(user_id, found, payload, bytes) : servedSealed(found.served_sha256, payload, bytes);
  }

  /** Reads a piece from another region. The transfer breaks off when the content was replaced meanwhile. */
  private async piece(request: MessageOf<typeof DOCUMENT_SUBJECTS.piece>, content_id: string): Promise<Piece> {
    const answer = await this.peers.find(DOCUMENT_SUBJECTS.piece, request, SEARCH);
    if (answer.content_id !== content_id) throw new Refusal('service.unavailable');
    return answer;
  }
}

/** Returns the base64 of the bytes in pieces. Each piece but the last encodes a multiple of three bytes, so it needs no padding. */
function* base64Of(bytes: Buffer): Iterable<string> {
  const most = (PIECE_CHARS / 4) * 3;
  for (let from = 0; from < bytes.length; from += most) yield bytes.toString('base64', from, Math.min(from + most, bytes.length));
}

/** Sorts positions, the newest first, and removes duplicates: while a company moves, both regions may list its documents. */
function newestFirst(positions: readonly Listed[]): Listed[] {
  const sorted = positions.toSorted((one, other) => other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : -1));
  return sorted.filter(({ id }, nth) => sorted[nth - 1]?.id !== id);
}

/** Leaves out a document that was deleted while the list was read. */
function unlessGone(error: unknown): [] {
  if (error instanceof Refusal && error.key === 'documents.not_found') return [];
  throw error;
}

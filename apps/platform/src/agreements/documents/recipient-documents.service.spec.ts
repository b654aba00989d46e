import { DOCUMENT_SUBJECTS, Refusal } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import type { StreamedAnswer } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { Peers, type ChunkedTransfer, type PeerHandlers } from '../../foundation/peers/index.ts';
import type { Home } from '../../foundation/regions/index.ts';
import type { Attestations } from '../../services/verification-providers/index.ts';
import type { HolderDocuments } from './holder-documents.service.ts';
import type { ContentReader } from './payloads.store.ts';
import { RecipientDocuments } from './recipient-documents.service.ts';

const FILE = { otk: 'key', box: Buffer.from('box') };

describe('documents of a company in another region', () => {
  /** What the other region answers, and what it was asked. */
  let answers: Record<string, (request: never) => unknown>;
  let requests: { subject: string; request: unknown; options: unknown }[];
  let here: { at: string; id: string }[];
  let deposited: string[];
  beforeEach(() => {
    [answers, requests, here, deposited] = [{}, [], [], []];
  });

  const nameOf = (subject: unknown) => Object.entries(DOCUMENT_SUBJECTS).find(([, known]) => known === subject)![0];
  const bus = {
    async request(subject: unknown, _: unknown, request: never, options?: unknown) {
      requests.push({ subject: nameOf(subject), request, options });
      return answers[nameOf(subject)]!(request);
    },
  } as unknown as Bus;
  /** Nothing but the list has documents in this region. */
  const notHere = async () => {
    throw new Refusal('documents.not_found');
  };
  const handle = async (subject: unknown) => (nameOf(subject) === 'positions' ? { positions: here } : notHere());
  const home = { regionsOf: async () => ['us'] } as unknown as Home;
  const db = {
    createQueryRunner: () => ({ query: async () => ({ records: [] }), release: async () => undefined }),
  } as unknown as DataSource;
  const chunked = {
    deposit: async (_: string, pieces: Iterable<string>) => ({ transfer_id: 'p', pieces: deposited.push(...pieces) }),
  } as unknown as ChunkedTransfer;
  /** What people do here needs no device, since none of them has one. */
  const perform = (_: unknown, __: unknown, work: () => unknown) => work();
  const peers = new Peers(
    db,
    bus,
    home,
    { base: 'region', region: 'eu' },
    { handle, perform, checkBeforeSending() {} } as unknown as PeerHandlers,
    chunked,
  );
  const documents = new RecipientDocuments(
    peers,
    { act: notHere, content: notHere } as unknown as HolderDocuments,
    chunked,
    {} as ContentReader,
    {} as DataSource,
    {} as Attestations,
  );
  const refuses = (key: 'documents.not_found' | 'region.rebase_required') => () => {
    throw key === 'documents.not_found' ? new Refusal(key) : new Refusal(key, { api_url: 'https://us.example' });
  };
  const refusal = (key: string) => expect.objectContaining({ key }) as Error;

  it('are sent the file before the act, and the act waits as long as sealing may take', async () => {
    answers = { read: () => ({}), act: () => ({ id: 'doc_1' }) };

    await documents.act('usr_1', 'doc_1', { kind: 'accept' }, FILE);

    expect(deposited).toEqual([FILE.box.toString('base64')]);
    expect(requests.map(({ subject }) => subject)).toEqual(['read', 'act']);
    const act = { kind: 'accept', sent: { otk: 'key', transfer_id: 'p', pieces: 1 } };
    expect(requests[1]).toEqual({ subject: 'act', request: { user_id: 'usr_1', document_id: 'doc_1', act }, options: { timeout: 30_000 } });
  });

  it('are sent no file when that region has no such document', async () => {
    answers = { read: refuses('documents.not_found') };

    await expect(documents.act('usr_1', 'doc_1', { kind: 'accept' }, FILE)).rejects.toEqual(refusal('documents.not_found'));

    expect(deposited).toEqual([]);
  });

  it('are sent no file that was already decrypted here before the company moved', async () => {
    const act = documents.act('usr_1', 'doc_1', { kind: 'accept' }, { ...FILE, isOpened: true });

    await expect(act).rejects.toEqual(refusal('service.unavailable'));

    expect([deposited, requests]).toEqual([[], []]);
  });

  it('are listed together with local ones, newest first, without duplicates and deleted ones', async () => {
    const at = (minute: number, id: string) => ({ at: `2026-11-16T12:0${minute}:00.000Z`, id });
    here = [at(3, 'doc_3'), at(1, 'doc_1')];
    answers = {
      positions: () => ({ positions: [at(3, 'doc_3'), at(2, 'doc_2')] }),
      read: ({ document_id: id }: { document_id: string }) => (id === 'doc_2' ? refuses('documents.not_found')() : { id }),
    };

    const { items, next_cursor } = await documents.list(
      'usr_1',
      { connection_id: undefined, status: undefined },
      { limit: 5, after: undefined },
    );

    expect([items, next_cursor]).toEqual([[{ id: 'doc_3' }, { id: 'doc_1' }], null]);
  });

  it('are unavailable while their company moves', async () => {
    answers = { read: refuses('region.rebase_required') };

    await expect(documents.read('usr_1', 'doc_1')).rejects.toEqual(refusal('service.unavailable'));
  });

  it('are not downloaded further when their file is replaced between two pieces', async () => {
    const piece = { piece: 'AAAA', pieces: 2, content_type: 'application/pdf', content_sha256: 'f'.repeat(64), served_sha256: null };
    answers = { piece: ({ position }: { position: number }) => ({ ...piece, content_id: position === 1 ? 'con_1' : 'con_2' }) };

    const answer = (await documents.payload('usr_1', 'doc_1')) as StreamedAnswer<unknown>;

    await expect(answer.gather(() => {})).rejects.toEqual(refusal('service.unavailable'));
  });
});

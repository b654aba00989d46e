import { Inject, Injectable } from '@nestjs/common';
import {
  Refusal,
  type CustomerRun,
  type Generated,
  type PluginPass,
  type RawFile,
  type RUN_SUBJECTS,
  type SentAnswer,
} from '@codase/contracts';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { DataSource, EntityManager } from 'typeorm';
import { readInMemory } from '../../../kit/answer-memory.service.ts';
import { findOfCustomer as findConnectionOfCustomer } from '../../../sharing/connections/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { PublishedFlows, type FlowFileRow } from '../../../services/flows/index.ts';
import { Attestations } from '../../../services/verification-providers/index.ts';
import type { Handlers } from '../../../foundation/peers/index.ts';
import { Home } from '../../../foundation/regions/index.ts';
import { DocumentGeneration } from '../documents/document-generation.service.ts';
import { GenerationInputs } from '../documents/generation-inputs.service.ts';
import { ContentHomes, type Piece } from '../files/content-homes.service.ts';
import { finderOfCustomer } from '../find-run.store.ts';
import { presentSummary } from '../present.ts';
import { RunReader } from '../run-reader.service.ts';
import { countPieces } from '../files/run-contents.store.ts';
import { RunFiles } from '../files/run-files.service.ts';
import { findStoredFile, listUploaded, type StoredRunFile } from '../files/run-files.store.ts';
import { RunLocks } from '../run-locks.service.ts';
import { RunPasses } from '../turns/run-passes.service.ts';
import type { RunRow } from '../run-row.ts';
import type { ArrivedFile, UploadedFile } from '../files/run-uploads.service.ts';
import { listOfCustomer } from '../runs.store.ts';
import { checkPartyTurn } from '../turns/turn-checks.ts';
import { RunTurns } from '../turns/run-turns.service.ts';

type Subjects = typeof RUN_SUBJECTS;
type RunRequest = MessageOf<Subjects['read']>;
type Content = MessageOf<Subjects['storeFile']>['content'];

/** How many bytes of an image one message carries, as base64. */
const IMAGE_PIECE_BYTES = 128 * 1024;

/** The operations of customers, of this region or another, on runs of companies that live here. @spec D2-4.4 */
@Injectable()
export class CustomerRuns implements Handlers<Pick<Subjects, 'storeInput' | 'generate'>> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly reading: RunReader,
    private readonly turns: RunTurns,
    private readonly locking: RunLocks,
    private readonly files: RunFiles,
    private readonly inputs: GenerationInputs,
    private readonly generation: DocumentGeneration,
    private readonly homes: ContentHomes,
    private readonly passes: RunPasses,
    private readonly flows: PublishedFlows,
    private readonly attestations: Attestations,
  ) {}

  async list({ limit, after, ...request }: MessageOf<Subjects['list']>): Promise<ReplyOf<Subjects['list']>> {
    await this.checkConnection(request);
    const slice = { limit, after: after ? { at: new Date(after.at), id: after.id } : undefined };
    const rows = await listOfCustomer(this.db, request, slice);
    return { runs: rows.map((row) => ({ at: row.created_at.toISOString(), run: presentSummary(row) })) };
  }

  async read(request: RunRequest): Promise<CustomerRun> {
    return this.reading.forCustomer(await this.find(request), request);
  }

  async answer({ turn: given, ...request }: MessageOf<Subjects['answer']>, withinMs = Infinity): Promise<CustomerRun> {
    const turn = { ...given, answers: await this.proven(request.user_id, given.answers) };
    const taken = this.turns.take(finderOfCustomer(request), request, turn, withinMs).catch(async (error: unknown) => {
      if (error instanceof Refusal && error.key === 'flows.run_not_found') await this.checkConnection(request); // its refusal says more
      throw error;
    });
    return taken as Promise<CustomerRun>;
  }

  /** Returns answers with those verifications that a provider attested for the customer, whatever the home region says. @gap D1-2.7 */
  private proven(user_id: string, answers: readonly SentAnswer[]): Promise<SentAnswer[]> {
    return Promise.all(
      answers.map(async (answer) => {
        const { source_field: field, verification } = answer;
        const isLinked = field !== undefined;
        return { ...answer, verification: isLinked ? await this.attestations.proven(verification, { user_id, field }) : {} };
      }),
    );
  }

  /** Adds a copy of a file answer that has arrived from another region. For a repeated request the copy is there already. */
  async storeFile({ slug, for_user_id, content, ...request }: MessageOf<Subjects['storeFile']>, withinMs = Infinity) {
    await this.checkConnection(request);
    return this.locking.locked(finderOfCustomer(request), withinMs, async (tx, locked) => {
      const [known] = await listUploaded(tx, request.run_id, [content.file]);
      if (known?.slug === slug && known.for_user_id === for_user_id) return { file: content.file };
      const arrived = await arrivedIn(tx, content);
      checkPartyTurn({ ...locked, by: request });
      return this.files.add(tx, locked, { slug, for_user_id }, arrived);
    });
  }

  /** Adds an input of a generation in the same way. */
  async storeInput({ source_key, content, ...request }: MessageOf<Subjects['storeInput']>, withinMs = Infinity) {
    await this.checkConnection(request);
    const known = await this.inputs.list(request.run_id, request.user_id);
    if (known.some(({ input_id }) => input_id === content.file)) return { input: content.file };
    return this.locking.locked(finderOfCustomer(request), withinMs, async (tx, locked) =>
      this.inputs.add(tx, locked, request, source_key, await arrivedIn(tx, content)),
    );
  }

  /** Adds a copy of a file answer. The file is still the customer's, so the customer too has to stay at home until the transaction ends. */
  async upload(request: RunRequest, answered: { slug: string; for_user_id: string }, uploaded: UploadedFile) {
    await this.checkConnection(request);
    return this.locking.locked(finderOfCustomer(request), Infinity, async (tx, locked) => {
      checkPartyTurn({ ...locked, by: request });
      await this.home.remains(tx, request.user_id);
      return this.files.add(tx, locked, answered, uploaded);
    });
  }

  /** Adds an input of a generation, which is still the customer's too. */
  async uploadInput(request: RunRequest, source_key: string, uploaded: UploadedFile) {
    await this.checkConnection(request);
    return this.locking.locked(finderOfCustomer(request), Infinity, async (tx, locked) => {
      await this.home.remains(tx, request.user_id);
      return this.inputs.add(tx, locked, request, source_key, uploaded);
    });
  }

  async generate({ generation, ...request }: MessageOf<Subjects['generate']>, withinMs?: number): Promise<Generated> {
    await this.checkConnection(request);
    return this.generation.generate(finderOfCustomer(request), request, generation, withinMs);
  }

  /** Finds the customer's own copy of an answer or of a source. @spec D2-4.4 */
  async file({ file, ...request }: MessageOf<Subjects['file']>): Promise<StoredRunFile> {
    const { run_id } = await this.find(request);
    const stored = await findStoredFile(this.db, run_id, request.user_id, file);
    if (!stored) throw new Refusal('flows.file_not_found');
    return stored;
  }

  /** Returns a piece of a file that rests in the region of its run. */
  async piece({ position, ...request }: MessageOf<Subjects['piece']>): Promise<Piece> {
    const { company_user_id, file_id } = await this.file(request);
    return this.homes.piece({ owner_user_id: company_user_id, file: file_id, position });
  }

  /** Returns an image of the version that the run is pinned to. @gap D2-2.6 */
  async image(request: RunRequest & { asset_key: string }): Promise<RawFile> {
    const file = await this.imageFile(request);
    const bytes = await readInMemory(request.user_id, file.size, () => this.flows.bytes(this.db, file));
    return { content_type: file.mime_type, bytes };
  }

  async imagePiece({ position, ...request }: MessageOf<Subjects['image']>): Promise<ReplyOf<Subjects['image']>> {
    const file = await this.imageFile(request);
    const part = { from: (position - 1) * IMAGE_PIECE_BYTES, bytes: IMAGE_PIECE_BYTES };
    const piece = await this.flows.bytes(this.db, file, part);
    return { content_type: file.mime_type, piece: piece.toString('base64'), pieces: Math.ceil(file.size / IMAGE_PIECE_BYTES) };
  }

  private async imageFile({ asset_key, ...request }: RunRequest & { asset_key: string }): Promise<FlowFileRow> {
    const run = await this.find(request);
    const { definition } = await this.reading.played(this.db, run);
    const isShown = definition.nodes.some(({ elements }) => elements.some((one) => one.kind === 'image' && one.asset_key === asset_key));
    const { flow_id, flow_version: version } = run;
    const file = isShown ? await this.flows.file(this.db, run, { flow_id, version, asset_key }) : undefined;
    if (file?.kind !== 'image') throw new Refusal('flows.file_not_found');
    return file;
  }

  /** Issues a pass for the plugins of the customer's step. @spec D2-4.4 */
  async pass(request: RunRequest): Promise<PluginPass> {
    return this.passes.issue(await this.find(request), request);
  }

  /** Refuses when the connection is not the customer's, or its company lives elsewhere. */
  private async checkConnection({ user_id, connection_id }: Pick<RunRequest, 'user_id' | 'connection_id'>): Promise<void> {
    const connection = await findConnectionOfCustomer(this.db, user_id, connection_id);
    await this.home.check(connection.company_user_id);
  }

  private async find(request: RunRequest): Promise<RunRow> {
    await this.checkConnection(request);
    const run = await finderOfCustomer(request).read(this.db);
    if (!run) throw new Refusal('flows.run_not_found');
    return run;
  }
}

/** Returns a file that was sent piece by piece. Refuses while pieces of it are missing. */
async function arrivedIn(tx: EntityManager, { file, pieces, chars, served_sha256 }: Content): Promise<ArrivedFile> {
  if ((await countPieces(tx, file)) !== pieces) throw new Refusal('service.unavailable').because('Not all of it has come: send it again');
  return { owner_id: file, chars, served_sha256, piece_key: null };
}

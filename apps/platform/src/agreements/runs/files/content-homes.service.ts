import { Inject, Injectable } from '@nestjs/common';
import { Refusal, RUN_CONTENT_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { isTransient, retry } from '@codase/runtime/resilience';
import type { DataSource } from 'typeorm';
import { movedMeanwhile, Peers, type Handlers } from '../../../foundation/peers/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { Files, PayloadReader, piecesElsewhere, servedSealed, type UploadedPayload } from '../../../storage/files/index.ts';
import { Home, homeStateOf, NotAtHome } from '../../../foundation/regions/index.ts';
import {
  addContent,
  addSentPiece,
  countPieces,
  keepContent,
  putPieceKey,
  RunContents,
  takeContent,
  type Content,
} from './run-contents.store.ts';
import { RunUploads, type UploadedFile } from './run-uploads.service.ts';
import { METRICS } from '../metrics.ts';

type Subjects = typeof RUN_CONTENT_SUBJECTS;
type SentContent = MessageOf<Subjects['keep']>['content'];

/** A piece of a content. The number of pieces depends on where the content rests. */
export interface Piece {
  piece: Uint8Array | null;
  pieces: number;
  served_sha256: string;
}

/** How long all pieces of one file may take: some hundred requests, to a region that is busy or comes back. */
const SENDING_MS = 60_000;
/** How long the request may take that follows the pieces and names the whole file. */
export const NAMING_MS = 20_000;
/** When the company's region is first asked whether it has a file. A start that could name the file is long over by then. @gap D2-8 */
const ASK_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Stores and reads the contents of files in the regions of their owners. A content is stored before anything refers to it, and before
 * anything else of the file is written. A process that dies in between leaves a content that its region finds and deletes. @spec D2-4.1
 */
@Injectable()
export class ContentHomes implements Handlers<Pick<Subjects, 'storePiece' | 'keep' | 'piece'>> {
  private readonly reader: PayloadReader;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly peers: Peers,
    private readonly home: Home,
    private readonly contents: RunContents,
    private readonly uploads: RunUploads,
    files: Files,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.reader = new PayloadReader(db, files, contents);
  }

  /** Gives a file that was uploaded here to the customer whose file it was, in whichever region the customer lives. */
  async give(uploaded: UploadedFile, { user_id, company_user_id }: { user_id: string; company_user_id: string }): Promise<void> {
    if ((await homeStateOf(this.db, user_id)) !== undefined) return this.giveHere(uploaded, user_id, company_user_id);
    const region = await this.home.regionOf(user_id);
    if (region === undefined) throw new Refusal('flows.source_user_invalid');
    try {
      const content = await this.send(region, uploaded, { user_id, company_user_id });
      const kept = { owner_user_id: user_id, file: content.file, content };
      await askUntilAnswered(() => this.peers.call(RUN_CONTENT_SUBJECTS.keep, region, kept), NAMING_MS);
    } catch (error) {
      throw movedMeanwhile(error, 'db.writes_paused');
    }
    await this.uploads.abandon(uploaded);
  }

  /** Sends a file that was uploaded here to another region, piece by piece. The caller then has it taken there (decision 94). */
  async send(region: string, uploaded: UploadedFile, { user_id, company_user_id }: { user_id: string; company_user_id: string }) {
    const { owner_id: file, chars, served_sha256, piece_key } = uploaded;
    if (piece_key) await putPieceKey(this.db, uploaded);
    const deadline = performance.now() + SENDING_MS;
    let pieces = 0;
    for await (const bytes of this.contents.read(this.db, file)) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw tooSlow();
      const sent = { owner_user_id: user_id, company_user_id, file, position: ++pieces, piece: Buffer.from(bytes).toString() };
      await askUntilAnswered(() => this.peers.call(RUN_CONTENT_SUBJECTS.storePiece, region, sent), leftMs);
    }
    const content: SentContent = { file, pieces, chars, served_sha256 };
    return content;
  }

  async storePiece({ owner_user_id, company_user_id, file, position, piece }: MessageOf<Subjects['storePiece']>): Promise<null> {
    const owned = { owner_id: file, company_user_id: owner_user_id };
    await this.home.write(owner_user_id, async (tx) => {
      if (position === 1) await addContent(tx, owned, company_user_id, this.clock.now());
      await addSentPiece(tx, owned, position, piece);
    });
    return null;
  }

  /** Keeps a copy of a customer who lives here, once all its pieces have arrived. */
  async keep({ owner_user_id, file, content }: MessageOf<Subjects['keep']>): Promise<null> {
    await this.home.write(owner_user_id, async (tx) => {
      if ((await countPieces(tx, file)) !== content.pieces) throw incomplete();
      await keepContent(tx, { file_id: file, owner_user_id, served_sha256: content.served_sha256, ask_at: this.firstRequestAt() });
    });
    return null;
  }

  /** Reads a file whose content rests here, or with the customer whose file it was. */
  async read({ file_id, source_user_id }: { file_id: string; source_user_id: string | null }) {
    const content = await this.contents.taken(this.db, file_id);
    if (content) return servedSealed(content.served_sha256, await this.reader.read(content));
    const state = source_user_id === null ? 'here' : await homeStateOf(this.db, source_user_id);
    if (source_user_id === null || (state !== undefined && state !== 'arriving')) throw gone();
    const region = await this.home.regionOf(source_user_id);
    if (region === undefined) throw gone();
    const request = { owner_user_id: source_user_id, file: file_id };
    return this.readPieces((position) => this.peers.call(RUN_CONTENT_SUBJECTS.piece, region, { ...request, position }));
  }

  /** Reads one piece after the other. Breaks off when the content has moved meanwhile and has another number of pieces there. */
  async readPieces(ask: (position: number) => Promise<Piece>) {
    const first = await ask(1).catch((error: unknown) => {
      throw movedMeanwhile(error, 'service.unavailable');
    });
    return servedSealed(first.served_sha256, piecesElsewhere(first, ask));
  }

  /** Returns a piece of a content that is here. While the content moves here with its owner, the refusal says to try later. */
  async piece({ owner_user_id, file, position }: MessageOf<Subjects['piece']>): Promise<Piece> {
    const content = await this.contents.taken(this.db, file);
    if (!content) throw (await homeStateOf(this.db, owner_user_id)) === 'here' ? gone() : new Refusal('service.unavailable');
    return { ...(await this.reader.piece(content, position)), served_sha256: content.served_sha256 };
  }

  /** Copies a content that is here, piece by piece, from the database or the object store. */
  async copy(content: Content, user_id: string): Promise<UploadedPayload> {
    return this.uploads.copy(user_id, await this.reader.read(content));
  }

  private async giveHere(uploaded: UploadedFile, user_id: string, company_user_id: string): Promise<void> {
    await this.home.write(company_user_id, async (tx) => {
      await this.home.remains(tx, user_id).catch(leftMeanwhile);
      if (!(await takeContent(tx, { ...uploaded, user_id, company_user_id, ask_at: this.firstRequestAt() }))) throw incomplete();
    });
  }

  private firstRequestAt(): Date {
    return new Date(this.clock.now().getTime() + ASK_AFTER_MS);
  }
}

/** Refuses because the customer moves. The refusal does not name another base, since the calling company is at the right one. */
const leftMeanwhile = (error: unknown): never => {
  throw error instanceof NotAtHome ? new Refusal('db.writes_paused') : error;
};

const tooSlow = () => new Refusal('service.unavailable').because('The other region takes this too slowly: repeat the call later');
const incomplete = () => new Refusal('service.unavailable').because('Not all of it has come: send it again');
const gone = () => new Refusal('flows.file_not_found');

const BACKOFF = { firstMs: 200, longestMs: 2000, jitter: 0.2 };

/**
 * Repeats a request to another region while it does not answer, for example because it was killed and is restarting. A request may arrive
 * twice without harm, since pieces and files are known by their ids (decision 94).
 */
export const askUntilAnswered = <T>(request: () => Promise<T>, withinMs: number): Promise<T> =>
  retry(request, { backoff: BACKOFF, bound: { withinMs }, metric: METRICS.filesRequestedAgain, isWorth: isUnanswered });

/** Whether the region gave no answer. Any other error is its answer. */
const isUnanswered = (error: unknown): boolean => (error instanceof Refusal ? error.key === 'service.unavailable' : isTransient(error));

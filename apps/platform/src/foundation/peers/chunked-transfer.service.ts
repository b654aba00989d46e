import { Inject, Injectable } from '@nestjs/common';
import { CHUNK_SUBJECTS, nameOfPeer, Refusal, type PeerSubject } from '@codase/contracts';
import { Bus, type RequestOptions } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { FairSemaphore } from '@codase/runtime/resilience';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { piecesOf } from '../../kit/text-pieces.ts';
import { addChunk, takeChunked, type Chunked } from './chunks.store.ts';
import { PeerHandlers, type Handlers } from './peer-handlers.service.ts';

/** How long sending the pieces may take. `RUNNING_MS` bounds the request that they are pieces of. */
const SENDING_MS = 8000;
const RUNNING_MS = 15_000;
/** The most long requests that are in memory at once, and how long others wait for them. */
const AT_ONCE = { total: 5, queuedEach: 1, waitMs: 2000 };

/** Sends a request that is too long for one message, such as one with a scan of a passport, to another region in chunks. @gap D1-1 */
@Injectable()
export class ChunkedTransfer implements Handlers<typeof CHUNK_SUBJECTS> {
  private readonly long = new FairSemaphore(AT_ONCE, tooSlow);

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    private readonly handlers: PeerHandlers,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async send(region: string, subject: PeerSubject, text: string, { timeout = RUNNING_MS }: RequestOptions): Promise<unknown> {
    const chunked = await this.deposit(region, piecesOf(text));
    const answered = await this.bus.request(CHUNK_SUBJECTS.open, { region }, { ...chunked, operation: nameOfPeer(subject) }, { timeout });
    return subject.reply!.parse(answered);
  }

  /**
   * Sends the pieces one after the other, so that neither region holds more than one in memory. They stay in the other region until a
   * request that names them takes them.
   */
  async deposit(region: string, pieces: Iterable<string>): Promise<Chunked> {
    const [transfer_id, deadline] = [newId('parcel'), performance.now() + SENDING_MS];
    let position = 0;
    for (const piece of pieces) {
      if (performance.now() > deadline) throw tooSlow();
      await this.bus.request(CHUNK_SUBJECTS.piece, { region }, { transfer_id, position, piece });
      position++;
    }
    return { transfer_id, pieces: position };
  }

  async piece({ transfer_id, position, piece }: MessageOf<typeof CHUNK_SUBJECTS.piece>): Promise<null> {
    await addChunk(this.db, transfer_id, { position, piece, now: this.clock.now() });
    return null;
  }

  /** Answers a request whose pieces have arrived. It takes the pieces even when it is refused: its sender would send them anew. */
  open({ operation, ...chunked }: MessageOf<typeof CHUNK_SUBJECTS.open>, withinMs = Infinity, user?: string): Promise<unknown> {
    const deadline = performance.now() + withinMs;
    return this.long.run(chunked.transfer_id, async () => {
      const text = await this.db.transaction((tx) => takeChunked(tx, chunked));
      return this.handlers.answerText(operation, text, { user, withinMs: deadline - performance.now() });
    });
  }
}

const tooSlow = () => new Refusal('service.unavailable').because('The other region takes this too slowly: repeat the call later');

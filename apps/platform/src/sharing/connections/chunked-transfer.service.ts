import { Inject, Injectable } from '@nestjs/common';
import { CHUNK_SUBJECTS, Refusal } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { DataSource } from 'typeorm';
import { HERE, Modes, type Here } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { addChunk, type Chunked } from './chunks.store.ts';
import { piecesOf } from './shared-file.ts';
import { SUBJECTS, type ReplyOf, type RequestOf, type Operation } from './region-protocol.ts';

/** How long sending the pieces may take. `RUNNING` bounds the operation that follows. */
const SENDING_MS = 8000;
const RUNNING = { timeout: 15_000 };

/** Sends a request that is too long for one message, such as one with a scan of a passport, to another region in chunks. @gap D1-1 */
@Injectable()
export class ChunkedTransfer {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    @Inject(HERE) private readonly here: Here,
    private readonly modes: Modes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async receive(parcel_id: string, position: number, piece: string): Promise<void> {
    if (this.here.base !== 'region') throw new Error('chunks are kept in regions');
    this.modes.checkWritable(this.here.region);
    await addChunk(this.db, parcel_id, { position, piece, now: this.clock.now() });
  }

  async send<O extends Operation>(region: string, operation: O, request: RequestOf<O>): Promise<ReplyOf<O>> {
    const chunked = await this.deposit(region, JSON.stringify(request));
    const answered = await this.bus.request(CHUNK_SUBJECTS.open, { region }, { ...chunked, operation }, RUNNING);
    return SUBJECTS[operation].reply!.parse(answered);
  }

  deposit(region: string, text: string): Promise<Chunked> {
    return this.depositPieces(region, piecesOf(text));
  }

  /**
   * Sends the pieces one after the other, so that neither region holds more than one in memory. They stay in the other region until a
   * request that names them takes them.
   */
  async depositPieces(region: string, pieces: Iterable<string>): Promise<Chunked> {
    const [parcel_id, deadline] = [newId('parcel'), performance.now() + SENDING_MS];
    let position = 0;
    for (const piece of pieces) {
      if (performance.now() > deadline) throw tooSlow();
      await this.bus.request(CHUNK_SUBJECTS.piece, { region }, { parcel_id, position, piece });
      position++;
    }
    return { parcel_id, pieces: position };
  }
}

const tooSlow = () => new Refusal('service.unavailable').because('The other region takes this too slowly: repeat the call later');

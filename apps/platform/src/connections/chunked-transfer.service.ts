import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PARCEL, Refusal } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { DataSource } from 'typeorm';
import { HERE, Modes, type Here } from '../regions/index.ts';
import { REGION_DB } from '../databases.ts';
import { newId } from '../ids.ts';
import { addChunk } from './chunks.store.ts';
import { piecesOf } from './shared-file.ts';
import { SUBJECTS, type ReplyOf, type RequestOf, type Operation } from './region-protocol.ts';

/** How long sending the pieces may take, and then the operation itself. */
const SENDING_MS = 8000;
const RUNNING = { timeout: 15_000 };

/** A request that is too long for one message, with a scan of a passport say, goes to the other region in chunks. @gap D1-1 */
@Injectable()
export class ChunkedTransfer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private pieces: { drain(): Promise<void> } | undefined;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    @Inject(HERE) private readonly here: Here,
    private readonly modes: Modes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.here.base !== 'region') return;
    const { region } = this.here;
    this.pieces = await this.bus.answer(
      PARCEL.piece,
      { region },
      async ({ parcel_id, position, piece }) => {
        this.modes.checkWritable(region);
        await addChunk(this.db, parcel_id, { position, piece, now: this.clock.now() });
        return null;
      },
      { queue: `region-${region}` },
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.pieces?.drain();
  }

  /** One piece after the other, so that neither region holds more than it must. */
  async send<O extends Operation>(region: string, operation: O, request: RequestOf<O>): Promise<ReplyOf<O>> {
    const [parcel_id, deadline] = [newId('parcel'), performance.now() + SENDING_MS];
    const pieces = piecesOf(JSON.stringify(request));
    for (const [position, piece] of pieces.entries()) {
      if (performance.now() > deadline) throw tooSlow();
      await this.bus.request(PARCEL.piece, { region }, { parcel_id, position, piece });
    }
    const answered = await this.bus.request(PARCEL.open, { region }, { parcel_id, pieces: pieces.length, operation }, RUNNING);
    return SUBJECTS[operation].reply!.parse(answered);
  }
}

const tooSlow = () => new Refusal('service.unavailable').because('The other region takes this too slowly: repeat the call later');

import { Controller } from '@nestjs/common';
import { CHUNK_SUBJECTS, CONNECTION_SUBJECTS } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { ChunkedTransfer } from './chunked-transfer.service.ts';
import { RegionOperations } from './region-operations.service.ts';

/** The replicas of a region share one queue; each region has its own. */
const HERE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers requests of other regions for their customers. @gap D1-1 */
@Controller()
export class ConnectionsBus {
  constructor(
    private readonly operations: RegionOperations,
    private readonly chunked: ChunkedTransfer,
  ) {}

  @Answers(CONNECTION_SUBJECTS.card, HERE)
  card(request: MessageOf<typeof CONNECTION_SUBJECTS.card>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.card>) {
    return this.operations.answer('card', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.pluginPass, HERE)
  pluginPass(request: MessageOf<typeof CONNECTION_SUBJECTS.pluginPass>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.pluginPass>) {
    return this.operations.answer('pluginPass', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.connect, HERE)
  connect(request: MessageOf<typeof CONNECTION_SUBJECTS.connect>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.connect>) {
    return this.operations.answer('connect', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.places, HERE)
  places(request: MessageOf<typeof CONNECTION_SUBJECTS.places>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.places>) {
    return this.operations.answer('places', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.read, HERE)
  read(request: MessageOf<typeof CONNECTION_SUBJECTS.read>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.read>) {
    return this.operations.answer('read', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.change, HERE)
  change(request: MessageOf<typeof CONNECTION_SUBJECTS.change>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.change>) {
    return this.operations.answer('change', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.disconnect, HERE)
  disconnect(request: MessageOf<typeof CONNECTION_SUBJECTS.disconnect>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.disconnect>) {
    return this.operations.answer('disconnect', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.slots, HERE)
  slots(request: MessageOf<typeof CONNECTION_SUBJECTS.slots>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.slots>) {
    return this.operations.answer('slots', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.follow, HERE)
  follow(request: MessageOf<typeof CONNECTION_SUBJECTS.follow>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.follow>) {
    return this.operations.answer('follow', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.forget, HERE)
  forget(request: MessageOf<typeof CONNECTION_SUBJECTS.forget>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.forget>) {
    return this.operations.answer('forget', request, withinMs);
  }

  @Answers(CONNECTION_SUBJECTS.verify, HERE)
  verify(request: MessageOf<typeof CONNECTION_SUBJECTS.verify>, { withinMs }: BusContext<typeof CONNECTION_SUBJECTS.verify>) {
    return this.operations.answer('verify', request, withinMs);
  }

  @Answers(CHUNK_SUBJECTS.piece, HERE)
  async piece({ parcel_id, position, piece }: MessageOf<typeof CHUNK_SUBJECTS.piece>) {
    await this.chunked.receive(parcel_id, position, piece);
    return null;
  }

  @Answers(CHUNK_SUBJECTS.open, HERE)
  open(
    { operation, ...parcel }: MessageOf<typeof CHUNK_SUBJECTS.open>,
    { withinMs }: BusContext<typeof CHUNK_SUBJECTS.open>,
  ): Promise<unknown> {
    return this.operations.answerChunked(operation, parcel, withinMs);
  }
}

import { Controller } from '@nestjs/common';
import { PARCEL, SHARING } from '@cds/contracts';
import { Answers, type BusContext, type MessageOf } from '@cds/runtime/nest-bus';
import { ChunkedTransfer } from './chunked-transfer.service.ts';
import { RegionOperations } from './region-operations.service.ts';

/** Replicas share a queue, regions do not. */
const HERE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** What other regions ask this one for their customers. @gap D1-1 */
@Controller()
export class ConnectionsBus {
  constructor(
    private readonly operations: RegionOperations,
    private readonly chunked: ChunkedTransfer,
  ) {}

  @Answers(SHARING.card, HERE)
  card(request: MessageOf<typeof SHARING.card>, { withinMs }: BusContext<typeof SHARING.card>) {
    return this.operations.answer('card', request, withinMs);
  }

  @Answers(SHARING.connect, HERE)
  connect(request: MessageOf<typeof SHARING.connect>, { withinMs }: BusContext<typeof SHARING.connect>) {
    return this.operations.answer('connect', request, withinMs);
  }

  @Answers(SHARING.places, HERE)
  places(request: MessageOf<typeof SHARING.places>, { withinMs }: BusContext<typeof SHARING.places>) {
    return this.operations.answer('places', request, withinMs);
  }

  @Answers(SHARING.read, HERE)
  read(request: MessageOf<typeof SHARING.read>, { withinMs }: BusContext<typeof SHARING.read>) {
    return this.operations.answer('read', request, withinMs);
  }

  @Answers(SHARING.change, HERE)
  change(request: MessageOf<typeof SHARING.change>, { withinMs }: BusContext<typeof SHARING.change>) {
    return this.operations.answer('change', request, withinMs);
  }

  @Answers(SHARING.disconnect, HERE)
  disconnect(request: MessageOf<typeof SHARING.disconnect>, { withinMs }: BusContext<typeof SHARING.disconnect>) {
    return this.operations.answer('disconnect', request, withinMs);
  }

  @Answers(SHARING.slots, HERE)
  slots(request: MessageOf<typeof SHARING.slots>, { withinMs }: BusContext<typeof SHARING.slots>) {
    return this.operations.answer('slots', request, withinMs);
  }

  @Answers(SHARING.follow, HERE)
  follow(request: MessageOf<typeof SHARING.follow>, { withinMs }: BusContext<typeof SHARING.follow>) {
    return this.operations.answer('follow', request, withinMs);
  }

  @Answers(SHARING.forget, HERE)
  forget(request: MessageOf<typeof SHARING.forget>, { withinMs }: BusContext<typeof SHARING.forget>) {
    return this.operations.answer('forget', request, withinMs);
  }

  @Answers(SHARING.verify, HERE)
  verify(request: MessageOf<typeof SHARING.verify>, { withinMs }: BusContext<typeof SHARING.verify>) {
    return this.operations.answer('verify', request, withinMs);
  }

  @Answers(PARCEL.piece, HERE)
  async piece({ parcel_id, position, piece }: MessageOf<typeof PARCEL.piece>) {
    await this.chunked.receive(parcel_id, position, piece);
    return null;
  }

  @Answers(PARCEL.open, HERE)
  open({ operation, ...parcel }: MessageOf<typeof PARCEL.open>, { withinMs }: BusContext<typeof PARCEL.open>): Promise<unknown> {
    return this.operations.answerChunked(operation, parcel, withinMs);
  }
}

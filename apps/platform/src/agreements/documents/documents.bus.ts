import { Controller } from '@nestjs/common';
import { DOCUMENT_SUBJECTS } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../foundation/regions/index.ts';
import { DocumentHolding } from './holding.service.ts';

/** The replicas of a region share one queue; each region has its own. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers requests of the home regions of recipients. @gap D1-1 */
@Controller()
export class DocumentsBus {
  constructor(
    private readonly holding: DocumentHolding,
    private readonly mode: OwnMode,
  ) {}

  @Answers(DOCUMENT_SUBJECTS.positions, QUEUE)
  positions(request: MessageOf<typeof DOCUMENT_SUBJECTS.positions>) {
    this.mode.checkInOrder();
    return this.holding.positions(request);
  }

  @Answers(DOCUMENT_SUBJECTS.read, QUEUE)
  read(request: MessageOf<typeof DOCUMENT_SUBJECTS.read>) {
    this.mode.checkInOrder();
    return this.holding.read(request);
  }

  @Answers(DOCUMENT_SUBJECTS.piece, QUEUE)
  piece(request: MessageOf<typeof DOCUMENT_SUBJECTS.piece>) {
    this.mode.checkInOrder();
    return this.holding.piece(request);
  }

  @Answers(DOCUMENT_SUBJECTS.act, QUEUE)
  act(request: MessageOf<typeof DOCUMENT_SUBJECTS.act>, { withinMs }: BusContext<typeof DOCUMENT_SUBJECTS.act>) {
    this.mode.checkWritable();
    return this.holding.actFromElsewhere(request, withinMs);
  }
}

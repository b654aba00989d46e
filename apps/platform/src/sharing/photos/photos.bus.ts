import { Controller } from '@nestjs/common';
import { PHOTO_SUBJECTS } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../foundation/regions/index.ts';
import { ShownPhotos } from './shown-photos.service.ts';

/** The replicas of a region share one queue; each region has its own. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers requests of the home regions of customers. @gap D1-1 */
@Controller()
export class PhotosBus {
  constructor(
    private readonly shown: ShownPhotos,
    private readonly mode: OwnMode,
  ) {}

  @Answers(PHOTO_SUBJECTS.ofCard, QUEUE)
  ofCard({ position, ...by }: MessageOf<typeof PHOTO_SUBJECTS.ofCard>) {
    this.mode.checkInOrder();
    return this.shown.piece(by, position);
  }

  @Answers(PHOTO_SUBJECTS.ofConnection, QUEUE)
  ofConnection({ position, ...by }: MessageOf<typeof PHOTO_SUBJECTS.ofConnection>) {
    this.mode.checkInOrder();
    return this.shown.piece(by, position);
  }
}

import { Controller } from '@nestjs/common';
import { LINKED_FIELD, RUN_CONTENT_SUBJECTS as SUBJECTS } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../../foundation/regions/index.ts';
import { ContentHomes } from './content-homes.service.ts';
import { ContentReleases } from './content-releases.service.ts';
import { FlowLinks } from '../start/links.service.ts';
import { RunFiles } from './run-files.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers other regions about contents of files, and linked fields, of owners who live here. @spec D2-4.1 @spec D2-4.2 */
@Controller()
export class ContentsBus {
  constructor(
    private readonly homes: ContentHomes,
    private readonly releases: ContentReleases,
    private readonly files: RunFiles,
    private readonly links: FlowLinks,
    private readonly mode: OwnMode,
  ) {}

  @Answers(SUBJECTS.storePiece, QUEUE)
  storePiece(request: MessageOf<typeof SUBJECTS.storePiece>) {
    this.mode.checkWritable();
    return this.homes.storePiece(request);
  }

  @Answers(SUBJECTS.keep, QUEUE)
  keep(request: MessageOf<typeof SUBJECTS.keep>) {
    this.mode.checkWritable();
    return this.homes.keep(request);
  }

  @Answers(SUBJECTS.piece, QUEUE)
  piece({ owner_user_id, file, position }: MessageOf<typeof SUBJECTS.piece>) {
    this.mode.checkInOrder();
    return this.homes.piece(owner_user_id, file, position);
  }

  @Answers(SUBJECTS.release, QUEUE)
  release(request: MessageOf<typeof SUBJECTS.release>) {
    this.mode.checkWritable();
    return this.releases.release(request);
  }

  @Answers(SUBJECTS.held, QUEUE)
  held(request: MessageOf<typeof SUBJECTS.held>) {
    this.mode.checkInOrder();
    return this.files.held(request);
  }

  @Answers(LINKED_FIELD, QUEUE)
  linkedField(request: MessageOf<typeof LINKED_FIELD>) {
    this.mode.checkInOrder();
    return this.links.field(request);
  }
}

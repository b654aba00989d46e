import { Controller, Inject } from '@nestjs/common';
import { LINKED_FIELD, RUN_CONTENT_SUBJECTS as SUBJECTS } from '@cds/contracts';
import { Answers, type MessageOf } from '@cds/runtime/nest-bus';
import { HERE, Modes, type Here } from '../regions/index.ts';
import { ContentHomes } from './content-homes.service.ts';
import { ContentReleases } from './content-releases.service.ts';
import { FlowLinks } from './links.service.ts';
import { RunFiles } from './run-files.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** What other regions ask about contents of files, and linked fields, of owners who live here. @spec D2-4.1 @spec D2-4.2 */
@Controller()
export class ContentsBus {
  constructor(
    private readonly homes: ContentHomes,
    private readonly releases: ContentReleases,
    private readonly files: RunFiles,
    private readonly links: FlowLinks,
    private readonly modes: Modes,
    @Inject(HERE) private readonly here: Here,
  ) {}

  @Answers(SUBJECTS.storePiece, QUEUE)
  storePiece(request: MessageOf<typeof SUBJECTS.storePiece>) {
    this.modes.checkWritable(this.region);
    return this.homes.storePiece(request);
  }

  @Answers(SUBJECTS.keep, QUEUE)
  keep(request: MessageOf<typeof SUBJECTS.keep>) {
    this.modes.checkWritable(this.region);
    return this.homes.keep(request);
  }

  @Answers(SUBJECTS.piece, QUEUE)
  piece({ owner_user_id, file, position }: MessageOf<typeof SUBJECTS.piece>) {
    this.modes.checkInOrder(this.region);
    return this.homes.piece(owner_user_id, file, position);
  }

  @Answers(SUBJECTS.release, QUEUE)
  release(request: MessageOf<typeof SUBJECTS.release>) {
    this.modes.checkWritable(this.region);
    return this.releases.release(request);
  }

  @Answers(SUBJECTS.held, QUEUE)
  held(request: MessageOf<typeof SUBJECTS.held>) {
    this.modes.checkInOrder(this.region);
    return this.files.held(request);
  }

  @Answers(LINKED_FIELD, QUEUE)
  linkedField(request: MessageOf<typeof LINKED_FIELD>) {
    this.modes.checkInOrder(this.region);
    return this.links.field(request);
  }

  private get region(): string {
    if (this.here.base !== 'region') throw new Error('runs live in regions');
    return this.here.region;
  }
}

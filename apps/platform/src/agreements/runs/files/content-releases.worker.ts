import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../../kit/workers/periodic-worker.service.ts';
import { OwnMode } from '../../../foundation/regions/index.ts';
import { ContentReleases } from './content-releases.service.ts';

/** Tells other regions, round after round, to which contents of customers nothing refers any more. */
@Injectable()
export class ContentReleasesWorker extends PeriodicWorker {
  constructor(
    private readonly releases: ContentReleases,
    private readonly mode: OwnMode,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'content_releases', everyMs: 5000, failure: 'handing over the ends of files failed and is tried again' }, log);
  }

  async round(): Promise<void> {
    if (this.mode.isPaused()) return;
    await this.releases.round();
  }
}

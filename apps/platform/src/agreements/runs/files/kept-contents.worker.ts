import { Inject, Injectable } from '@nestjs/common';
import { RUN_CONTENT_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import { PeriodicWorker } from '../../../kit/workers/periodic-worker.service.ts';
import { Peers } from '../../../foundation/peers/index.ts';
import { Home, OwnMode, writeIfHome } from '../../../foundation/regions/index.ts';
import { askLater, listToAsk, removeContents, type KeptContent } from './run-contents.store.ts';

const EVERY_MS = 5000;
const AT_ONCE = 200;
/** How often a content that a run holds is asked about again, in case the notice of its end is lost. @gap D2-8 */
const ASK_EVERY_MS = 30 * 24 * 60 * 60 * 1000;

/** The pause before the next request when a region could not be asked. */
const ASK_AGAIN_MS = 10 * 60 * 1000;

/**
 * Asks the regions of companies whether they still have the files whose contents rest here, and deletes the contents of the others. So a
 * content goes that no start took within a day, because the start or its process failed. A region that does not answer is asked again.
 * @spec D2-4.1
 */
@Injectable()
export class KeptContents extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly peers: Peers,
    private readonly home: Home,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'kept_contents', everyMs: EVERY_MS, failure: 'contents of files could not be compared with the files' }, log);
  }

  async round(): Promise<void> {
    if (this.mode.isPaused()) return;
    const due = await listToAsk(this.db, this.clock.now(), AT_ONCE);
    for (const [company, contents] of Map.groupBy(due, ({ company_user_id }) => company_user_id)) await this.compare(company, contents);
  }

  private async compare(company_user_id: string, contents: readonly KeptContent[]): Promise<void> {
    const files = contents.map(({ file_id }) => file_id);
    const stored = await this.storedBy(company_user_id, files).catch((error: unknown) => {
      this.log.warn('the region of a company did not say which files it has, and is asked later', { error });
      return undefined;
    });
    const askAt = this.after(stored ? ASK_EVERY_MS : ASK_AGAIN_MS);
    for (const { file_id, owner_user_id } of contents)
      await writeIfHome(this.db, owner_user_id, (tx) =>
        !stored || stored.includes(file_id) ? askLater(tx, owner_user_id, [file_id], askAt) : removeContents(tx, owner_user_id, [file_id]),
      );
  }

  /** Returns which of the files the company has; none when the company no longer exists. */
  private async storedBy(company_user_id: string, files: string[]): Promise<string[]> {
    const region = await this.home.regionOf(company_user_id);
    if (region === undefined) return [];
    return (await this.peers.call(RUN_CONTENT_SUBJECTS.storedFiles, region, { company_user_id, files })).held;
  }

  private after(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }
}

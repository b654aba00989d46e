import { Inject, Injectable } from '@nestjs/common';
import { RUN_CONTENT_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import { HomeOutbox } from '../../../kit/outbox/home-outbox.service.ts';
import { Peers } from '../../../foundation/peers/index.ts';
import { Home, OwnMode, writeIfHome } from '../../../foundation/regions/index.ts';
import { releaseRows, type Release } from './content-releases.store.ts';
import { METRICS } from '../metrics.ts';
import { removeContents } from './run-contents.store.ts';

/** How long a release is kept. By then the customer's region has itself asked for the file many times. */
const KEPT_MS = 365 * 24 * 60 * 60 * 1000;

type Released = MessageOf<typeof RUN_CONTENT_SUBJECTS.release>;

/** Tells the regions of customers to which contents nothing refers any more, whatever ended their files. @spec D2-8 */
@Injectable()
export class ContentReleases extends HomeOutbox<Release> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    home: Home,
    peers: Peers,
    mode: OwnMode,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(
      {
        rows: releaseRows(db),
        userOf: ({ user_id }) => user_id,
        regionOf: (user_id) => home.regionOf(user_id),
        send: (region, releases) => {
          const contents = releases.map(({ event_id, user_id }) => ({ owner_user_id: user_id, file: event_id }));
          return peers.call(RUN_CONTENT_SUBJECTS.release, region, { contents });
        },
        keptMs: KEPT_MS,
        postponed: METRICS.releasesPostponed,
        givenUp: METRICS.releasesGivenUp,
        says: {
          postponed: 'contents of files that ended wait for another region to delete them',
          givenUp: 'contents of files that ended are given up: their region deleted them at no time',
        },
        rounds: {
          name: 'content_releases',
          everyMs: 5000,
          failure: 'handing over the ends of files failed and is tried again',
          isPaused: () => mode.isPaused(),
        },
      },
      clock,
      log,
    );
  }

  /** Deletes contents of customers who live here. Contents of a customer who moves go along, and are reported back as `elsewhere`. */
  async release({ contents }: Released): Promise<ReplyOf<typeof RUN_CONTENT_SUBJECTS.release>> {
    const elsewhere: string[] = [];
    for (const { owner_user_id, file } of contents) {
      const removed = await writeIfHome(this.db, owner_user_id, (tx) => removeContents(tx, owner_user_id, [file]));
      if (removed === undefined) elsewhere.push(file);
    }
    return { elsewhere };
  }
}

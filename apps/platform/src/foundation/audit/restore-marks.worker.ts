import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Bus, ProjectionReader, ProjectionWriter } from '@codase/runtime/bus';
import type { Db } from '@codase/runtime/db';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { AUDIT_DB } from './audit.service.ts';
import { lastPosition } from './audit.store.ts';
import { RESTORE_MARKS } from './restore-mark.ts';

const EVERY_MS = 5000;

/** The name of the mark of this database. */
export const OWN_MARK = Symbol('mark of this database');

/** Keeps on the bus how far the audit of this database has come. */
@Injectable()
export class RestoreMarks implements OnApplicationBootstrap, OnApplicationShutdown {
  private marks!: ProjectionWriter<typeof RESTORE_MARKS.shape>;
  /** The marks that the bus has now. They may be older than what was once put there, because the bus may be restored from an older copy. */
  private published!: ProjectionReader<typeof RESTORE_MARKS.shape>;
  private marking: Repeated | undefined;

  constructor(
    @Inject(AUDIT_DB) private readonly db: Db,
    private readonly bus: Bus,
    @Inject(OWN_MARK) private readonly name: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.marks = await ProjectionWriter.open(this.bus, RESTORE_MARKS);
    this.published = await ProjectionReader.open(this.bus, RESTORE_MARKS, this.log);
    this.marking = repeat(() => this.mark(), {
      name: 'restore_marks',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.warn('how far the audit has come is left for later', { error }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.marking?.stop();
    await this.mark().catch((error: unknown) => this.log.warn('the last acts are not marked', { error }));
    await this.published?.close();
  }

  private async mark(): Promise<void> {
    const { epoch, txid, seq } = await lastPosition(this.db);
    const position = { epoch, txid, seq };
    if (!isDeepStrictEqual(this.published.get(this.name), position)) await this.marks.put(this.name, position);
  }
}

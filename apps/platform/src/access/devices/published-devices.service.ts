import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, ProjectionWriter, type ProjectionReader } from '@codase/runtime/bus';
import type { Sql } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { republishMisfits } from '../../kit/outbox/change-and-publish.service.ts';
import type { ExpiredRows } from '../tokens/index.ts';
import { DEVICE_KEY_ROWS, DEVICE_KEYS } from './device-keys.ts';
import { DevicesStore } from './devices.store.ts';

/** Persons whose keys are read in one step at start. */
const BATCH = 500;

/** Publishes the keys of devices to the regions, a row for each person who has any. The table is the truth. @gap D1-5 */
@Injectable()
export class PublishedDevices implements ExpiredRows, OnApplicationBootstrap {
  private projection!: ProjectionWriter<typeof DEVICE_KEYS.shape>;

  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly store: DevicesStore,
    private readonly bus: Bus,
    @Inject(DEVICE_KEY_ROWS) private readonly published: ProjectionReader<typeof DEVICE_KEYS.shape>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Publishes all keys: some may have changed while the bus did not answer. */
  async onApplicationBootstrap(): Promise<void> {
    this.projection = await ProjectionWriter.open(this.bus, DEVICE_KEYS);
    republishMisfits(this.published, this.log, (user_id) => this.republish(user_id));
    for (const { user_id } of this.published.all()) await this.republish(user_id);
    for (let last: string | undefined = ''; last !== undefined;) last = await this.publishBatchAfter(last);
  }

  /** Publishes the keys of a person as the transaction sees them. The devices of the person are locked, or the person is deleted. */
  async publish(tx: EntityManager, user_id: string): Promise<void> {
    const jkts = (await this.store.listOf(user_id, tx)).map(({ jkt }) => jkt);
    await (jkts.length === 0 ? this.projection.remove(user_id) : this.projection.put(user_id, { user_id, jkts }));
  }

  /** Whether a person has devices. They are locked until the transaction ends, so that none is added meanwhile. */
  async isWithDevices(tx: EntityManager, user_id: string): Promise<boolean> {
    await this.store.lock(user_id, tx);
    return (await this.store.listOf(user_id, tx)).length > 0;
  }

  deleteExpired(now: Date, limit: number): Sql {
    return this.store.deleteUnused(now, limit);
  }

  wereDeleted(rows: readonly { user_id: string }[]): void {
    for (const user_id of new Set(rows.map((row) => row.user_id)))
      this.republish(user_id).catch((error: unknown) => this.log.error('the keys of devices could not be published anew', { error }));
  }

  /** Returns the last person of a full batch; undefined after the last batch. */
  private async publishBatchAfter(last: string): Promise<string | undefined> {
    const users = await this.store.usersAfter(last, BATCH);
    for (const user_id of users) if (!this.published.get(user_id)) await this.republish(user_id);
    return users.length < BATCH ? undefined : users.at(-1);
  }

  private republish(user_id: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      await this.store.lock(user_id, tx);
      await this.publish(tx, user_id);
    });
  }
}

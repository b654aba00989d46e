import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Refusal, type FieldTypeRow } from '@codase/contracts';
import { Bus, ProjectionWriter, type ProjectionReader } from '@codase/runtime/bus';
import type { Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { changeAndPublish, republishMisfits } from '../../kit/outbox/change-and-publish.service.ts';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { FIELD_TYPE_ROWS } from './field-types-view.service.ts';
import { FieldTypesStore } from './field-types.store.ts';
import { FIELD_TYPES, putFaults } from './field-type-rows.ts';

/** Stores the types that an operator adds, and publishes them to the regions. @spec D1-2.5 @spec D1-9 */
@Injectable()
export class OperatorFieldTypes implements OnApplicationBootstrap, OnApplicationShutdown {
  private projection!: ProjectionWriter<typeof FIELD_TYPES.shape>;

  constructor(
    private readonly store: FieldTypesStore,
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    @Inject(LOG) private readonly log: Log,
    @Inject(FIELD_TYPE_ROWS) private readonly published: ProjectionReader<typeof FIELD_TYPES.shape>,
    private readonly audit: Audit,
  ) {}

  /**
   * Publishes all rows at the start, since some may have been written while the bus was away. The table is authoritative and the bucket is
   * its copy, so rows that the table does not have are removed from the bucket. Another front door may change a row
   * meanwhile, so each row is read under the lock.
   */
  async onApplicationBootstrap(): Promise<void> {
    this.projection = await ProjectionWriter.open(this.bus, FIELD_TYPES);
    republishMisfits(this.published, this.log, (type) => this.db.transaction((tx) => this.publish(type, tx)));
    const rows = [...(await this.store.all()), ...this.published.all()];
    for (const type of new Set(rows.map((row) => row.type))) await this.db.transaction((tx) => this.publish(type, tx));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.published.close();
  }

  async put(row: FieldTypeRow): Promise<void> {
    await changeAndPublish(this.db, this.log, { change: (tx) => this.save(row, tx), publish: (tx) => this.publish(row.type, tx) });
  }

  private async save(row: FieldTypeRow, tx: EntityManager): Promise<void> {
    await this.store.lock(tx);
    const faults = putFaults(row, await this.store.all(tx));
    if (faults.length > 0) throw new Refusal('request.invalid').because(faults.join('; '));
    await this.store.put(row, tx);
    await this.audit.record(tx, { act: 'field_type.put', object: row.type });
  }

  /** Publishes the row of a type as the table has it. The lock keeps its order with other changes. */
  private async publish(type: string, tx: Db): Promise<void> {
    await this.store.lock(tx);
    const row = await this.store.find(type, tx);
    await (row ? this.projection.put(type, row) : this.projection.remove(type));
  }
}

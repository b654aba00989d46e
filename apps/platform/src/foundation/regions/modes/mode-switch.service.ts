import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { Bus, ProjectionWriter, type ProjectionReader } from '@codase/runtime/bus';
import { one, sql, type Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { changeAndPublish, republishMisfits } from '../../../kit/outbox/change-and-publish.service.ts';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../audit/index.ts';
import { FRONT_DOOR_DB } from '../../../kit/databases.ts';
import { apiUrlOf, BASES, type Bases } from '../bases.ts';
import { MODES, type RegionMode, MODE_ROWS } from './modes.service.ts';
import type { RestoredFrontDoor } from '../../../kit/after-restore.service.ts';

interface Change {
  region: string;
  writes_paused?: boolean | undefined;
  out_of_order?: boolean | undefined;
}

/** Lets an operator pause saving in a region, or take the region out of order, until the operator switches it back. @spec D1-7 */
@Injectable()
export class ModeSwitch implements OnModuleInit {
  private projection!: ProjectionWriter<typeof MODES.shape>;

  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(LOG) private readonly log: Log,
    @Inject(MODE_ROWS) private readonly published: ProjectionReader<typeof MODES.shape>,
    private readonly audit: Audit,
  ) {}

  /**
   * Publishes all modes again when the front door starts, since the table is authoritative. The modes of regions that are not configured
   * are published as well, or removed when the table has none.
   */
  async onModuleInit(): Promise<void> {
    this.projection = await ProjectionWriter.open(this.bus, MODES);
    republishMisfits(this.published, this.log, (region) => this.db.transaction((tx) => this.publish(tx, region)));
    for (const { region } of this.bases.regions) await this.switch({ region });
    for (const { region } of this.published.all()) {
      if (!apiUrlOf(this.bases, region)) await this.db.transaction((tx) => this.publish(tx, region));
    }
  }

  /** Changes the mode of a region. Members that are left out stay as they are, so a change without members reads the mode. */
  async setMode(change: Change): Promise<RegionMode> {
    if (!apiUrlOf(this.bases, change.region)) {
      throw new Refusal('request.invalid').because(
        `There is no region ${change.region}: there are ${this.bases.regions.map(({ region }) => region).join(', ')}`,
      );
    }
    return this.switch(change);
  }

  private switch(change: Change): Promise<RegionMode> {
    return changeAndPublish(this.db, this.log, { change: (tx) => this.put(tx, change), publish: (tx) => this.publish(tx, change.region) });
  }

  private async put(tx: EntityManager, change: Change): Promise<RegionMode> {
    const { region, ...mode } = await setRegionMode(tx, change);
    const isRead = change.writes_paused === undefined && change.out_of_order === undefined;
    if (!isRead) await this.audit.record(tx, { act: 'mode.changed', object: region, details: mode });
    return { region, ...mode };
  }

  private async publish(tx: Db, region: string): Promise<void> {
    const mode = await one<RegionMode>(
      tx,
      sql`select region, writes_paused, out_of_order from region_mode where region = ${region} for update`,
    );
    await (mode ? this.projection.put(region, mode) : this.projection.remove(region));
  }
}

/** Changes the mode of a region; members that are left out stay as they are. */
async function setRegionMode(tx: Db, { region, writes_paused, out_of_order }: Change): Promise<RegionMode> {
  const mode = await one<RegionMode>(
    tx,
    sql`
    insert into region_mode as m (region, writes_paused, out_of_order)
    values (${region}, coalesce(${writes_paused ?? null}::boolean, false), coalesce(${out_of_order ?? null}::boolean, false))
    on conflict (region) do update
       set writes_paused = coalesce(${writes_paused ?? null}::boolean, m.writes_paused),
           out_of_order = coalesce(${out_of_order ?? null}::boolean, m.out_of_order)
    returning region, writes_paused, out_of_order`,
  );
  return mode!;
}

/** Sets the modes again that were published last, when the bus is newer than the database. */
export async function setModesAgain({ tx, report, published }: RestoredFrontDoor): Promise<void> {
  if (report.was_older) for (const mode of await published(MODES)) await setRegionMode(tx, mode);
}

import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { OPERATOR, Refusal } from '@cds/contracts';
import { Answers, Bus, ProjectionWriter } from '@cds/runtime/bus';
import { one, sql } from '@cds/runtime/db';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_DB } from '../../databases.ts';
import { apiUrlOf, BASES, type Bases } from '../regions.ts';
import { MODES, type RegionMode } from './mode.ts';

interface Change {
  region: string;
  writes_paused?: boolean | undefined;
  out_of_order?: boolean | undefined;
}

/** Where an operator pauses the saving of a region, or takes it out of order. It lasts until it is switched back. @spec D1-7 */
@Injectable()
export class ModeSwitch implements OnModuleInit {
  private projection!: ProjectionWriter<typeof MODES.shape>;

  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The table is the truth: every base hears of it anew when the front door starts. */
  async onModuleInit(): Promise<void> {
    this.projection = await ProjectionWriter.open(this.bus, MODES);
    for (const { region } of this.bases.regions) await this.switch({ region });
  }

  /** What is left out stays as it is, so a change of nothing reads the mode. */
  @Answers(OPERATOR.setMode, { queue: 'front-door' })
  async setMode(change: Change): Promise<RegionMode> {
    if (!apiUrlOf(this.bases, change.region)) {
      throw new Refusal('request.invalid').because(`There is no region ${change.region}: there are ${this.bases.regions.map(({ region }) => region).join(', ')}`);
    }
    try {
      return await this.switch(change);
    } catch (error) {
      // Whatever was told and then not committed is taken back.
      await this.switch({ region: change.region }).catch((failed: unknown) => this.log.error('the mode of a region could not be told back', { 'cds.region': change.region, error: failed }));
      throw error;
    }
  }

  /** Told while the row is held, so that two switches are told in their order. */
  private switch({ region, writes_paused, out_of_order }: Change): Promise<RegionMode> {
    return this.db.transaction(async (tx) => {
      const mode = await one<RegionMode>(tx, sql`
        insert into region_mode as m (region, writes_paused, out_of_order)
        values (${region}, coalesce(${writes_paused ?? null}::boolean, false), coalesce(${out_of_order ?? null}::boolean, false))
        on conflict (region) do update
           set writes_paused = coalesce(${writes_paused ?? null}::boolean, m.writes_paused),
               out_of_order = coalesce(${out_of_order ?? null}::boolean, m.out_of_order)
        returning region, writes_paused, out_of_order`);
      await this.projection.put(region, mode!);
      return mode!;
    });
  }
}

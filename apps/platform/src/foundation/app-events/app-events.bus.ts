import { Controller, Inject } from '@nestjs/common';
import { APP_EVENT_SUBJECTS } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../regions/index.ts';
import { storeEvents } from './events.store.ts';

/** Stores the events that other regions hand over for persons who are at home here. @gap D1-1 */
@Controller()
export class AppEventsBus {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(OwnMode) private readonly mode: Pick<OwnMode, 'checkWritable'>,
  ) {}

  @Answers(APP_EVENT_SUBJECTS.store, { queue: 'region-{region}', fixed: ['region'] })
  async store({ events }: MessageOf<typeof APP_EVENT_SUBJECTS.store>) {
    this.mode.checkWritable();
    const stored = await this.db.transaction((tx) => storeEvents(tx, events));
    return { elsewhere: events.map(({ event_id }) => event_id).filter((event_id) => !stored.has(event_id)) };
  }
}

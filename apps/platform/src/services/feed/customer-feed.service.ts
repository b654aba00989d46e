import { Inject, Injectable } from '@nestjs/common';
import type { CUSTOMER_FEED_SUBJECTS } from '@codase/contracts';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import type { Handlers } from '../../foundation/peers/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { storeCustomerEvents } from './customer-events.store.ts';

type Subjects = typeof CUSTOMER_FEED_SUBJECTS;

/** Stores events that other regions send for the own feeds of companies that are at home here. @gap D1-4.6 */
@Injectable()
export class CustomerFeed implements Handlers<Subjects> {
  constructor(@Inject(REGION_DB) private readonly db: DataSource) {}

  async store({ events }: MessageOf<Subjects['store']>): Promise<{ elsewhere: string[] }> {
    const stored = await this.db.transaction((tx) => storeCustomerEvents(tx, events));
    return { elsewhere: events.map(({ event }) => event.id).filter((event_id) => !stored.has(event_id)) };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import type { CustomerEventRow } from './customer-event.ts';
import { storeCustomerEvents } from './customer-events.store.ts';

/** Stores events that other regions send for the own feeds of companies that are at home here. @gap D1-4.6 */
@Injectable()
export class CustomerFeed {
  constructor(@Inject(REGION_DB) private readonly db: DataSource) {}

  async store(events: readonly CustomerEventRow[]): Promise<{ elsewhere: string[] }> {
    const stored = await this.db.transaction((tx) => storeCustomerEvents(tx, events));
    return { elsewhere: events.map(({ event }) => event.id).filter((event_id) => !stored.has(event_id)) };
  }
}

import { Module } from '@nestjs/common';
import { RegionRegions } from '../regions/index.ts';
import { RegionRegistry } from '../registry/index.ts';
import { ConnectionsBus } from './connections.bus.ts';
import { ConnectionsHttp } from './connections.http.ts';
import { CustomerHttp } from './customer.http.ts';
import { Customers } from './customers.service.ts';
import { ExpiredFiles } from './expired-files.worker.ts';
import { LiveSlots } from './live-slots.service.ts';
import { ChunkedTransfer } from './chunked-transfer.service.ts';
import { AbandonedChunks } from './abandoned-chunks.worker.ts';
import { RegionRouter } from './region-router.service.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { ConnectionSlots } from './slots.service.ts';

/** Who is connected to which service, and what they share. @spec D1-2.7 */
@Module({
  imports: [RegionRegions, RegionRegistry],
  controllers: [ConnectionsHttp, CustomerHttp, ConnectionsBus],
  providers: [ConnectionOperations, LiveSlots, RegionRouter, Customers, ConnectionSlots, ExpiredFiles, ChunkedTransfer, AbandonedChunks],
  exports: [RegionRouter, Customers, ConnectionSlots],
})
export class ConnectionsModule {}

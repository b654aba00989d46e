import { Module } from '@nestjs/common';
import { RegionAccess } from '../access/index.ts';
import { RegionRegistry } from '../registry/index.ts';
import { ConnectionsHttp } from './connections.http.ts';
import { CustomerHttp } from './customer.http.ts';
import { Customers } from './customers.service.ts';
import { ExpiredFiles } from './expired-files.worker.ts';
import { Following } from './following.service.ts';
import { Parcels } from './parcels.service.ts';
import { ForgottenParcels } from './parcels.worker.ts';
import { SharingRegions } from './sharing-regions.service.ts';
import { Sharing } from './sharing.service.ts';
import { ConnectionSlots } from './slots.service.ts';

/** Who is connected to which service, and what they share. @spec D1-2.7 */
@Module({
  imports: [RegionAccess, RegionRegistry],
  controllers: [ConnectionsHttp, CustomerHttp],
  providers: [Sharing, Following, SharingRegions, Customers, ConnectionSlots, ExpiredFiles, Parcels, ForgottenParcels],
  exports: [SharingRegions, Customers, ConnectionSlots],
})
export class ConnectionsModule {}

import { Module } from '@nestjs/common';
import { AccountClientsHttp } from './account-clients.http.ts';
import { ClientAuthenticator } from './client-authenticator.service.ts';
import { ClientRegistryBus } from './client-registry.bus.ts';
import { ClientRegistry } from './client-registry.service.ts';
import { CLIENT_LOOKUP } from './client-row.ts';
import { ClientsReplica } from './clients-replica.service.ts';
import { ClientsStore } from './clients.store.ts';
import { ClientsTable } from './clients-table.service.ts';
import { OperatorRequestsBus } from './operator-requests.bus.ts';
import { OperatorRequests } from './operator-requests.service.ts';

/** The registry of clients. */
@Module({
  controllers: [ClientRegistryBus, OperatorRequestsBus],
  providers: [
    ClientsStore,
    ClientsTable,
    ClientsReplica,
    { provide: CLIENT_LOOKUP, useExisting: ClientsTable },
    ClientAuthenticator,
    ClientRegistry,
    OperatorRequests,
  ],
  exports: [ClientsStore, ClientsTable, CLIENT_LOOKUP, ClientAuthenticator],
})
export class FrontDoorClients {}

/** The clients as a region knows them, and where a company manages its own. */
@Module({
  controllers: [AccountClientsHttp],
  providers: [ClientsReplica, { provide: CLIENT_LOOKUP, useExisting: ClientsReplica }, ClientAuthenticator],
  exports: [CLIENT_LOOKUP, ClientAuthenticator],
})
export class RegionClients {}

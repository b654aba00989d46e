import { Module, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ENDPOINTS, type Base } from '@cds/contracts';
import { AUTHENTICATOR, CallerGuard, elsewhere } from '@cds/runtime/http';
import { CLIENT_LOOKUP, TokenAuthenticator } from './authenticator.service.ts';
import { ClientsStore } from './clients.store.ts';
import { FollowedClients } from './followed-clients.service.ts';
import { RegisteredClients } from './registered-clients.service.ts';
import { TokensHttp } from './tokens.http.ts';
import { TokensService } from './tokens.service.ts';

/** The same checks stand at every base; each has its own view of the clients. */
const CHECKS: Provider[] = [
  { provide: AUTHENTICATOR, useClass: TokenAuthenticator },
  { provide: APP_GUARD, useClass: CallerGuard },
];

/** Routes of the other base, which answer where to ask; the forwarder is reached by its own address alone. @spec D1-5.6 */
const routesNotAt = (base: Base) => elsewhere(ENDPOINTS.filter(({ at }) => !at.includes(base) && !at.includes('forwarder')));

@Module({
  controllers: [TokensHttp, routesNotAt('front-door')],
  providers: [...CHECKS, ClientsStore, TokensService, RegisteredClients, { provide: CLIENT_LOOKUP, useExisting: RegisteredClients }],
})
export class FrontDoorAccess {}

@Module({
  controllers: [routesNotAt('region')],
  providers: [...CHECKS, FollowedClients, { provide: CLIENT_LOOKUP, useExisting: FollowedClients }],
})
export class RegionAccess {}

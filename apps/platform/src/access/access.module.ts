import { Module, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ENDPOINTS, type Base } from '@cds/contracts';
import { CallerGuard, elsewhere, GATEKEEPER } from '@cds/runtime/http';
import { AccountsStore } from './accounts/accounts.store.ts';
import { Accounts } from './accounts/accounts.service.ts';
import { ApiDocumentHttp } from './api-document.http.ts';
import { CLIENT_LOOKUP } from './clients/client-row.ts';
import { ClientsStore } from './clients/clients.store.ts';
import { FollowedClients } from './clients/followed-clients.service.ts';
import { RegisteredClients } from './clients/registered-clients.service.ts';
import { TokenGatekeeper } from './gatekeeper.service.ts';
import { Home } from './home.service.ts';
import { HOMES } from './homes.ts';
import { RateLimits } from './limits/rate-limits.service.ts';
import { Modes } from './modes/modes.service.ts';
import { OpenHttp } from './open.http.ts';
import { EndedTokens } from './tokens/ended-tokens.service.ts';
import { TokensHttp } from './tokens/tokens.http.ts';
import { TokensService } from './tokens/tokens.service.ts';

/** The same checks stand at every base; each has its own view of clients and homes. */
const CHECKS: Provider[] = [
  { provide: GATEKEEPER, useClass: TokenGatekeeper },
  { provide: APP_GUARD, useClass: CallerGuard },
  RateLimits,
  Modes,
  EndedTokens,
  TokensService,
];

/** Routes of the other base, which answer where to ask; the forwarder is reached by its own address alone. @spec D1-5.6 */
const routesNotAt = (base: Base) => elsewhere(ENDPOINTS.filter(({ at }) => !at.includes(base) && !at.includes('forwarder')));

@Module({
  controllers: [TokensHttp, OpenHttp, ApiDocumentHttp, routesNotAt('front-door')],
  providers: [
    ...CHECKS,
    ClientsStore,
    RegisteredClients,
    { provide: CLIENT_LOOKUP, useExisting: RegisteredClients },
    AccountsStore,
    Accounts,
    { provide: HOMES, useExisting: Accounts },
  ],
  exports: [AccountsStore, Accounts, ClientsStore, RegisteredClients, Modes],
})
export class FrontDoorAccess {}

@Module({
  controllers: [TokensHttp, routesNotAt('region')],
  providers: [
    ...CHECKS,
    FollowedClients,
    { provide: CLIENT_LOOKUP, useExisting: FollowedClients },
    Home,
    { provide: HOMES, useExisting: Home },
  ],
  exports: [Home, Modes],
})
export class RegionAccess {}

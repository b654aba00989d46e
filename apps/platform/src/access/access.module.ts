import { Module, type Provider } from '@nestjs/common';
import { ENDPOINTS, type Base } from '@cds/contracts';
import { elsewhere, GATEKEEPER } from '@cds/runtime/http';
import { AccountsStore } from './accounts/accounts.store.ts';
import { Accounts } from './accounts/accounts.service.ts';
import { ApiDocumentHttp } from './api-document.http.ts';
import { AccountClientsHttp } from './clients/account-clients.http.ts';
import { ClientRegistry } from './clients/client-registry.service.ts';
import { CLIENT_LOOKUP } from './clients/client-row.ts';
import { ClientsStore } from './clients/clients.store.ts';
import { FollowedClients } from './clients/followed-clients.service.ts';
import { OperatorRequests } from './clients/operator-requests.service.ts';
import { RegisteredClients } from './clients/registered-clients.service.ts';
import { TokenGatekeeper } from './gatekeeper.service.ts';
import { Home } from './home.service.ts';
import { HOMES } from './homes.ts';
import { RateLimits } from './limits/rate-limits.service.ts';
import { ModeSwitch } from './modes/mode-switch.service.ts';
import { Modes } from './modes/modes.service.ts';
import { MigrateRegionHttp } from './moving/migrate-region.http.ts';
import { COMINGS_AND_GOINGS, MOVES } from './moving/moving.module.ts';
import { OpenHttp } from './open.http.ts';
import { Enrolments } from './sign-in/enrolments.service.ts';
import { EnrolmentsStore } from './sign-in/enrolments.store.ts';
import { FirstParty } from './sign-in/first-party.service.ts';
import { SignInHttp } from './sign-in/sign-in.http.ts';
import { SignIn } from './sign-in/sign-in.service.ts';
import { SignInStore } from './sign-in/sign-in.store.ts';
import { AskedSessions } from './tokens/asked-sessions.service.ts';
import { CleanUp } from './tokens/clean-up.worker.ts';
import { EndedTokens } from './tokens/ended-tokens.service.ts';
import { KeptSessions } from './tokens/kept-sessions.service.ts';
import { KnownClients } from './tokens/known-clients.service.ts';
import { RevocationHttp } from './tokens/revocation.http.ts';
import { RevocationService } from './tokens/revocation.service.ts';
import { SESSIONS } from './tokens/sessions.ts';
import { SessionsStore } from './tokens/sessions.store.ts';
import { TokensHttp } from './tokens/tokens.http.ts';
import { TokensService } from './tokens/tokens.service.ts';

/** The same checks stand at every base; each has its own view of clients and homes. */
const CHECKS: Provider[] = [
  { provide: GATEKEEPER, useClass: TokenGatekeeper },
  RateLimits,
  Modes,
  EndedTokens,
  FollowedClients,
  KnownClients,
  TokensService,
];

/** Signing in, and what it leaves behind: at the front door alone. */
const SIGN_IN: Provider[] = [
  SessionsStore,
  KeptSessions,
  { provide: SESSIONS, useExisting: KeptSessions },
  RevocationService,
  CleanUp,
  SignInStore,
  SignIn,
  EnrolmentsStore,
  Enrolments,
  FirstParty,
];

/** Routes of the other base, which answer where to ask; the forwarder is reached by its own address alone. @spec D1-5.6 */
const routesNotAt = (base: Base) => elsewhere(ENDPOINTS.filter(({ at }) => !at.includes(base) && !at.includes('forwarder')));

@Module({
  controllers: [TokensHttp, RevocationHttp, SignInHttp, OpenHttp, ApiDocumentHttp, routesNotAt('front-door')],
  providers: [
    ...CHECKS,
    ...SIGN_IN,
    ...MOVES,
    ClientsStore,
    RegisteredClients,
    ClientRegistry,
    OperatorRequests,
    ModeSwitch,
    { provide: CLIENT_LOOKUP, useExisting: RegisteredClients },
    AccountsStore,
    Accounts,
    { provide: HOMES, useExisting: Accounts },
  ],
  exports: [AccountsStore, Accounts, ClientsStore, RegisteredClients, Modes],
})
export class FrontDoorAccess {}

@Module({
  controllers: [TokensHttp, AccountClientsHttp, MigrateRegionHttp, routesNotAt('region')],
  providers: [
    ...CHECKS,
    ...COMINGS_AND_GOINGS,
    { provide: SESSIONS, useClass: AskedSessions },
    { provide: CLIENT_LOOKUP, useExisting: FollowedClients },
    Home,
    { provide: HOMES, useExisting: Home },
  ],
  exports: [Home, Modes],
})
export class RegionAccess {}

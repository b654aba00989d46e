import { Module, type Provider } from '@nestjs/common';
import { ENDPOINTS, type Base } from '@cds/contracts';
import { elsewhere, GATEKEEPER } from '@cds/runtime/http';
import { FrontDoorClients, RegionClients } from '../clients/index.ts';
import { FrontDoorIdentity } from '../identity/index.ts';
import { FrontDoorRegions, RegionRegions } from '../regions/index.ts';
import { ExpiredGrants } from './expired-grants.worker.ts';
import { TokenGatekeeper } from './gatekeeper.service.ts';
import { RateLimits } from './limits/rate-limits.service.ts';
import { LocalSessionsBus } from './local-sessions.bus.ts';
import { LocalSessions } from './local-sessions.service.ts';
import { RemoteSessions } from './remote-sessions.service.ts';
import { RevocationHttp } from './revocation.http.ts';
import { RevocationService } from './revocation.service.ts';
import { RevokedTokens } from './revoked-tokens.service.ts';
import { SESSIONS } from './sessions.ts';
import { SessionsStore } from './sessions.store.ts';
import { TokensHttp } from './tokens.http.ts';
import { TokensService } from './tokens.service.ts';

/** The same checks stand at every base; each has its own view of clients and homes. */
const CHECKS: Provider[] = [{ provide: GATEKEEPER, useClass: TokenGatekeeper }, RateLimits, RevokedTokens, TokensService];

/** Routes of the other base, which answer where to ask; the forwarder is reached by its own address alone. @spec D1-5.6 */
const routesNotAt = (base: Base) => elsewhere(ENDPOINTS.filter(({ at }) => !at.includes(base) && !at.includes('forwarder')));

@Module({
  imports: [FrontDoorRegions, FrontDoorIdentity, FrontDoorClients],
  controllers: [TokensHttp, RevocationHttp, LocalSessionsBus, routesNotAt('front-door')],
  providers: [...CHECKS, SessionsStore, LocalSessions, { provide: SESSIONS, useExisting: LocalSessions }, RevocationService, ExpiredGrants],
  exports: [LocalSessions, RateLimits],
})
export class FrontDoorTokens {}

@Module({
  imports: [RegionRegions, RegionClients],
  controllers: [TokensHttp, routesNotAt('region')],
  providers: [...CHECKS, { provide: SESSIONS, useClass: RemoteSessions }],
})
export class RegionTokens {}

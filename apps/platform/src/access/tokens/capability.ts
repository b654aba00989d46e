import type { Provider } from '@nestjs/common';
import { ENDPOINTS, RATE_LIMITS, type Base } from '@codase/contracts';
import { servedElsewhere, GATEKEEPER } from '@codase/runtime/http';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability, Followed } from '../../kit/capability.ts';
import { CLIENT_REGISTRY, SECRET_REPLACED } from '../clients/index.ts';
import { ForwarderConfig, FrontDoorConfig, RegionConfig } from '../../kit/config.ts';
import { LiveVariable } from '@codase/runtime/config';
import { contribute } from '../../kit/hooks.ts';
import { IDENTITY } from '../identity/index.ts';
import { BoundTokens1763164800260 } from '../../migrations/front-door/1763164800260-bound-tokens.ts';
import { UsedProofs1763164800261 } from '../../migrations/region/1763164800261-used-proofs.ts';
import { AccountsAndGrants1763164800003 } from '../../migrations/front-door/1763164800003-accounts-and-grants.ts';
import { SessionLimits1763164800015 } from '../../migrations/front-door/1763164800015-session-limits.ts';
import { AccountsAndServices1763164800004 } from '../../migrations/region/1763164800004-accounts-and-services.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { AddressGatekeeper } from './address-gatekeeper.service.ts';
import { FRONT_DOOR_BASE, type SigningBase } from './access-token.ts';
import { APP_SIGN_INS } from './app-sign-ins.hook.ts';
import { DpopProofs } from './dpop/dpop-proofs.service.ts';
import { UsedProofEntity } from './dpop/used-proof.entity.ts';
import { UsedProofRetention } from './dpop/used-proof-retention.worker.ts';
import { USED_PROOFS_DB, UsedProofs } from './dpop/used-proofs.store.ts';
import { FRONT_DOOR_DB, REGION_DB } from '../../kit/databases.ts';
import { EXPIRED_ROWS } from './expired-rows.hook.ts';
import { ExpiredGrants } from './expired-grants.worker.ts';
import { TokenGatekeeper } from './token-gatekeeper.service.ts';
import { RateBucketRetention } from './limits/rate-bucket-retention.worker.ts';
import { LIMITS, RateLimits } from './limits/rate-limits.service.ts';
import { LocalSessionsBus } from './local-sessions.bus.ts';
import { LocalSessions } from './local-sessions.service.ts';
import { OperatorSessionsBus } from './operator-sessions.bus.ts';
import { OperatorSessions } from './operator-sessions.service.ts';
import { OwnSessionsHttp } from './own-sessions.http.ts';
import { RemoteSessions } from './remote-sessions.service.ts';
import { RevocationHttp } from './revocation.http.ts';
import { RevocationService } from './revocation.service.ts';
import { REVOCATIONS } from './revocations.ts';
import { REVOCATION_ROWS, RevokedTokens } from './revoked-tokens.service.ts';
import { SESSION_BOUND } from './session-bound.hook.ts';
import { SESSIONS } from './sessions.ts';
import { SessionsStore } from './sessions.store.ts';
import { KNOWN_KEYS, PublishedKeys } from './published-keys.service.ts';
import { SIGNING_KEYS, SigningKeys } from './signing-keys.service.ts';
import { TokensHttp } from './tokens.http.ts';
import { TokensService } from './tokens.service.ts';
import { METRICS } from './metrics.ts';
import { AuthorizationCodeEntity, RefreshTokenEntity, SessionEntity } from './session.entity.ts';
import { RateBucketEntity } from './limits/rate-bucket.entity.ts';
import { endAllSessions } from './after-restore.service.ts';

/** The checks are the same at every base, but each base has its own view of clients and homes. */
const CHECKS: Provider[] = [
  { provide: GATEKEEPER, useClass: TokenGatekeeper },
  RateLimits,
  RevokedTokens,
  TokensService,
  UsedProofs,
  DpopProofs,
];
const FOLLOWED_REVOCATIONS: Followed = { table: REVOCATIONS, as: REVOCATION_ROWS, check: 'sessions' };

/** Returns the routes of the other base, which answer with the base to ask. The forwarder is left out. @spec D1-5.6 */
const routesNotAt = (base: Base) => servedElsewhere(ENDPOINTS.filter(({ at }) => !at.includes(base) && !at.includes('forwarder')));

function keysAndLimits(base: SigningBase, config: FrontDoorConfig | RegionConfig) {
  const keys = new SigningKeys(
    base,
    LiveVariable.of(FrontDoorConfig, config as FrontDoorConfig, 'TOKEN_SIGNING_KEY'),
    LiveVariable.of(FrontDoorConfig, config as FrontDoorConfig, 'TOKEN_KEYS'),
  );
  const providers = [
    { provide: SIGNING_KEYS, useValue: keys },
    { provide: LIMITS, useValue: limitsOf(config.RATE_LIMITS) },
  ];
  return { providers, keys: [keys] };
}

/** Returns the default buckets, overridden by the configured ones. */
const limitsOf = (own: FrontDoorConfig['RATE_LIMITS'] = {}) =>
  Object.fromEntries(Object.entries(RATE_LIMITS).map(([name, bucket]) => [name, { ...bucket, ...own[name as keyof typeof own] }]));

/** Builds the keys and limits of the forwarder. It signs nothing and knows the public keys of all bases. */
function knownKeysAndLimits(config: ForwarderConfig) {
  const keys = new PublishedKeys(LiveVariable.of(ForwarderConfig, config, 'TOKEN_KEYS'));
  const providers = [
    { provide: KNOWN_KEYS, useValue: keys },
    { provide: LIMITS, useValue: limitsOf(config.RATE_LIMITS) },
  ];
  return { providers, keys: [keys] };
}

/** Access tokens: issued, checked at every base, revoked. @spec D1-5.2 @spec D1-5.3 @spec D1-5.4 */
export const TOKENS: Capability = {
  name: 'tokens',
  uses: [AUDIT, REGIONS, IDENTITY, CLIENT_REGISTRY],
  tables: {
    frontDoor: [SessionEntity, AuthorizationCodeEntity, RefreshTokenEntity, UsedProofEntity],
    region: [
      { entity: RateBucketEntity, stays: 'a full bucket at the new region is no harm' },
      { entity: UsedProofEntity, stays: 'a proof names the address of one region' },
    ],
  },
  afterRestore: {
    frontDoor: { last: [endAllSessions], covers: ['session.ended', 'sessions.ended', 'sign_in', 'token.revoked'] },
    region: { nothing: 'a bucket of the copy limits a caller no more than a new one, and proofs of before the copy are too old' },
  },
  migrations: {
    frontDoor: [AccountsAndGrants1763164800003, SessionLimits1763164800015, BoundTokens1763164800260],
    region: [AccountsAndServices1763164800004, UsedProofs1763164800261],
  },
  reads: {
    client: 'a grant is taken by one conditional update, which compares the epoch of the client: of many who come with it one is served',
    account: 'the same statement answers where the user lives',
    profile: 'a call of a user is counted, and its home looked up, in one statement',
  },
  publishes: [REVOCATIONS],
  offers: [APP_SIGN_INS, EXPIRED_ROWS, SESSION_BOUND],
  metrics: METRICS,
  parts: {
    'front-door': {
      http: [TokensHttp, RevocationHttp, OwnSessionsHttp, routesNotAt('front-door')],
      bus: [LocalSessionsBus, OperatorSessionsBus],
      workers: [ExpiredGrants, UsedProofRetention],
      providers: [
        ...CHECKS,
        { provide: USED_PROOFS_DB, useExisting: FRONT_DOOR_DB },
        SessionsStore,
        LocalSessions,
        { provide: SESSIONS, useExisting: LocalSessions },
        RevocationService,
        OperatorSessions,
      ],
      contributes: [contribute(SECRET_REPLACED, SessionsStore)],
      follows: [FOLLOWED_REVOCATIONS],
      configure: (config) => keysAndLimits(FRONT_DOOR_BASE, config),
    },
    region: {
      http: [TokensHttp, routesNotAt('region')],
      workers: [RateBucketRetention, UsedProofRetention],
      providers: [...CHECKS, { provide: USED_PROOFS_DB, useExisting: REGION_DB }, { provide: SESSIONS, useClass: RemoteSessions }],
      follows: [FOLLOWED_REVOCATIONS],
      configure: (config) => keysAndLimits(config.REGION, config),
    },
    forwarder: { providers: [RateLimits, { provide: GATEKEEPER, useClass: AddressGatekeeper }], configure: knownKeysAndLimits },
  },
};

import { ACCOUNT_CHANGES, CREDENTIALS_CHANGED } from '../account-changes/index.ts';
import { ACCOUNT_MAIL } from '../account-mail/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { contribute, implement } from '../../kit/hooks.ts';
import { IDENTITY, SECOND_FACTOR_CODES } from '../identity/index.ts';
import { SecondFactor1763164800099 } from '../../migrations/front-door/1763164800099-second-factor.ts';
import { OwnersInKeysOfTheFrontDoor1763164800201 } from '../../migrations/front-door/1763164800201-owners-in-keys.ts';
import { TrustedDevices1763164800100 } from '../../migrations/front-door/1763164800100-trusted-devices.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { EXPIRED_ROWS, TOKENS } from '../tokens/index.ts';
import { FactorKeysCheck } from './factor-keys-check.worker.ts';
import { FactorKeysState } from './factor-keys-state.ts';
import { FactorReseal } from './factor-reseal.service.ts';
import { FactorSecrets } from './factor-secrets.service.ts';
import { METRICS } from './metrics.ts';
import { OperatorSecondFactorsBus } from './operator-second-factors.bus.ts';
import { SecondFactorCheck } from './second-factor-check.service.ts';
import { SecondFactorSetup } from './second-factor-setup.service.ts';
import { SecondFactorBus } from './second-factor.bus.ts';
import { SecondFactorHttp } from './second-factor.http.ts';
import { SecondFactorsStore } from './second-factors.store.ts';
import { TrustedBrowsersBus } from './trusted-browsers.bus.ts';
import { TrustedBrowsersHttp } from './trusted-browsers.http.ts';
import { TrustedBrowsers } from './trusted-browsers.service.ts';
import { BackupCodeEntity, SecondFactorEntity, TrustedBrowserEntity } from './second-factor.entity.ts';
import { forgetTrustedBrowsers, TrustedBrowsersStore } from './trusted-browsers.store.ts';

/** Accounts that are asked for a code of an authenticator after the password. @spec D1-5.8 @gap D1-5.8 */
export const SECOND_FACTOR: Capability = {
  name: 'second-factor',
  uses: [AUDIT, REGIONS, ACCOUNT_MAIL, IDENTITY, TOKENS, ACCOUNT_CHANGES],
  tables: { frontDoor: [SecondFactorEntity, BackupCodeEntity, TrustedBrowserEntity] },
  afterRestore: {
    frontDoor: {
      last: [forgetTrustedBrowsers],
      covers: ['second_factor.begun', 'second_factor.code_checked', 'trusted_device.added', 'trusted_device.removed'],
    },
  },
  migrations: { frontDoor: [SecondFactor1763164800099, TrustedDevices1763164800100, OwnersInKeysOfTheFrontDoor1763164800201] },
  metrics: METRICS,
  parts: {
    'front-door': {
      bus: [SecondFactorBus, TrustedBrowsersBus, OperatorSecondFactorsBus],
      workers: [FactorKeysCheck],
      providers: [
        SecondFactorsStore,
        FactorSecrets,
        FactorReseal,
        SecondFactorCheck,
        SecondFactorSetup,
        TrustedBrowsersStore,
        TrustedBrowsers,
      ],
      implements: [implement(SECOND_FACTOR_CODES, SecondFactorCheck)],
      contributes: [
        contribute(EXPIRED_ROWS, SecondFactorsStore),
        contribute(EXPIRED_ROWS, TrustedBrowsersStore),
        contribute(CREDENTIALS_CHANGED, SecondFactorsStore),
        contribute(CREDENTIALS_CHANGED, TrustedBrowsersStore),
      ],
      configure() {
        const state = new FactorKeysState();
        return {
          providers: [{ provide: FactorKeysState, useValue: state }],
          checks: () => ({ second_factors: () => state.finding }),
        };
      },
    },
    region: { http: [SecondFactorHttp, TrustedBrowsersHttp] },
  },
};

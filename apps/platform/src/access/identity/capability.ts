import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { Registry1763164800001 } from '../../migrations/front-door/1763164800001-registry.ts';
import { AccountsAndGrants1763164800003 } from '../../migrations/front-door/1763164800003-accounts-and-grants.ts';
import { SessionLimits1763164800015 } from '../../migrations/front-door/1763164800015-session-limits.ts';
import { PasswordAttempts1763164800016 } from '../../migrations/front-door/1763164800016-password-attempts.ts';
import { ACCOUNT_MAIL } from '../account-mail/index.ts';
import { SignUpsAndAccountMail1763164800017 } from '../../migrations/front-door/1763164800017-sign-ups-and-account-mail.ts';
import { SignUpSources1763164800221 } from '../../migrations/front-door/1763164800221-sign-up-sources.ts';
import { LapsedLevels1763164800071 } from '../../migrations/front-door/1763164800071-lapsed-levels.ts';
import { HOMES, REGIONS } from '../../foundation/regions/index.ts';
import { AccountsBus } from './accounts/accounts.bus.ts';
import { Accounts } from './accounts/accounts.service.ts';
import { AccountsStore } from './accounts/accounts.store.ts';
import { CompanyLevels } from './accounts/company-levels.service.ts';
import { METRICS } from './metrics.ts';
import { ExpiredAttempts } from './passwords/expired-attempts.worker.ts';
import { configuredHashCost, HASH_COST } from './passwords/hash-cost.ts';
import { PasswordAttemptsStore } from './passwords/password-attempts.store.ts';
import { NewPasswords } from './passwords/new-passwords.service.ts';
import { PasswordCheck } from './passwords/password-check.service.ts';
import { SealedPasswords } from './passwords/sealed-passwords.service.ts';
import { PasswordsBus } from './passwords/passwords.bus.ts';
import { RemotePasswordCheck } from './passwords/remote-password-check.service.ts';
import { SECOND_FACTOR_CODES } from './passwords/second-factor-codes.hook.ts';
import { ACCOUNT_TAKEN_BACK } from './sign-up/account-taken-back.hook.ts';
import { HandOverWorker } from './sign-up/hand-over.worker.ts';
import { SignUpHttp } from './sign-up/sign-up.http.ts';
import { SignUpService } from './sign-up/sign-up.service.ts';
import { SignUpStore } from './sign-up/sign-up.store.ts';
import { AccountEntity } from './accounts/account.entity.ts';
import { PendingSignUpEntity, ProfileToHandOverEntity } from './sign-up/pending-sign-up.entity.ts';
import { PasswordFailuresEntity, SignInAddressEntity } from './passwords/password-failures.entity.ts';
import { compareHomes } from './after-restore.service.ts';

/** Accounts and passwords, and signing up. @gap D1-5 */
export const IDENTITY: Capability = {
  name: 'identity',
  uses: [AUDIT, REGIONS, ACCOUNT_MAIL],
  tables: { frontDoor: [AccountEntity, ProfileToHandOverEntity, PasswordFailuresEntity, SignInAddressEntity, PendingSignUpEntity] },
  afterRestore: {
    frontDoor: { nothing: 'accounts are reconciled with the clients that were published of them, and with the deletions' },
    region: { last: [compareHomes] },
  },
  migrations: {
    frontDoor: [
      Registry1763164800001,
      AccountsAndGrants1763164800003,
      PasswordAttempts1763164800016,
      SignUpsAndAccountMail1763164800017,
      SessionLimits1763164800015,
      LapsedLevels1763164800071,
      SignUpSources1763164800221,
    ],
  },
  metrics: METRICS,
  offers: [ACCOUNT_TAKEN_BACK],
  requires: [SECOND_FACTOR_CODES],
  parts: {
    'front-door': {
      http: [SignUpHttp],
      bus: [AccountsBus, PasswordsBus],
      workers: [HandOverWorker, ExpiredAttempts],
      providers: [
        AccountsStore,
        Accounts,
        { provide: HOMES, useExisting: Accounts },
        SignUpStore,
        SignUpService,
        PasswordAttemptsStore,
        PasswordCheck,
        NewPasswords,
        SealedPasswords,
      ],
      configure: (config) => ({ providers: [{ provide: HASH_COST, useValue: configuredHashCost(config) }] }),
    },
    region: { providers: [RemotePasswordCheck, CompanyLevels] },
  },
};

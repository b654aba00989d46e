import type { Capability } from '../capability.ts';
import { Registry1763164800001 } from '../migrations/front-door/1763164800001-registry.ts';
import { AccountsAndGrants1763164800003 } from '../migrations/front-door/1763164800003-accounts-and-grants.ts';
import { HOMES, REGIONS } from '../regions/index.ts';
import { AccountsBus } from './accounts/accounts.bus.ts';
import { Accounts } from './accounts/accounts.service.ts';
import { AccountsStore } from './accounts/accounts.store.ts';
import { configuredHashCost, HASH_COST } from './passwords/hash-cost.ts';
import { HandOverWorker } from './sign-up/hand-over.worker.ts';
import { SignUpHttp } from './sign-up/sign-up.http.ts';
import { SignUpService } from './sign-up/sign-up.service.ts';
import { SignUpStore } from './sign-up/sign-up.store.ts';

/** Accounts and passwords, and signing up. @gap D1-5 */
export const IDENTITY: Capability = {
  name: 'identity',
  uses: [REGIONS],
  tables: { frontDoor: ['account', 'profile_to_hand_over'] },
  migrations: { frontDoor: [Registry1763164800001, AccountsAndGrants1763164800003] },
  parts: {
    'front-door': {
      http: [SignUpHttp],
      bus: [AccountsBus],
      workers: [HandOverWorker],
      providers: [AccountsStore, Accounts, { provide: HOMES, useExisting: Accounts }, SignUpStore, SignUpService],
      configure: (config) => ({ providers: [{ provide: HASH_COST, useValue: configuredHashCost(config) }] }),
    },
  },
};

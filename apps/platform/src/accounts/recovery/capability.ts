import { ACCOUNT_CHANGES, CREDENTIALS_CHANGED } from '../../access/account-changes/index.ts';
import { ACCOUNT_MAIL } from '../../access/account-mail/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CLIENT_REGISTRY } from '../../access/clients/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { IDENTITY } from '../../access/identity/index.ts';
import { Recovery1763164800096 } from '../../migrations/front-door/1763164800096-recovery.ts';
import { RecoveryCopies1763164800095 } from '../../migrations/region/1763164800095-recovery-copies.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { SERVICE_CLIENT_ENDS, SERVICES } from '../../services/services/index.ts';
import { EXPIRED_ROWS, TOKENS } from '../../access/tokens/index.ts';
import { WEBHOOKS } from '../../services/webhooks/index.ts';
import { CurrentCopies } from './current-copies.service.ts';
import { EndedCopies } from './ended-copies.worker.ts';
import { METRICS } from './metrics.ts';
import { RecoveryBus } from './recovery.bus.ts';
import { RecoveryHttp } from './recovery.http.ts';
import { Recovery } from './recovery.service.ts';
import { endRecoveryCodes, RecoveryCodesStore } from './recovery-codes.store.ts';
import { RecoveryJudge } from './recovery-judge.service.ts';
import { RecoveryCodeEntity } from './recovery-code.entity.ts';
import { RecoveryCopyEntity, RecoveryKeyEntity } from './recovery-copy.entity.ts';

/** Copies of secrets that are shown once, sealed to the recovery key of their company. @spec D1-5.1 @spec D1-5.9 */
export const RECOVERY: Capability = {
  name: 'recovery',
  uses: [AUDIT, REGIONS, ACCOUNT_MAIL, IDENTITY, CLIENT_REGISTRY, TOKENS, ACCOUNT_CHANGES, SERVICES, WEBHOOKS],
  tables: {
    frontDoor: [RecoveryCodeEntity],
    region: [
      { entity: RecoveryKeyEntity, moves: { owner: 'company_user_id', key: 'company_user_id' } },
      { entity: RecoveryCopyEntity, moves: { owner: 'company_user_id', key: 'copy_id' } },
    ],
  },
  afterRestore: {
    frontDoor: {
      last: [endRecoveryCodes],
      covers: ['account.recovery_code_requested', 'account.recovery_reset', 'account.secret_recovered'],
    },
    region: { nothing: 'copies that were added or replaced since are lost, and companies add them again' },
  },
  migrations: { frontDoor: [Recovery1763164800096], region: [RecoveryCopies1763164800095] },
  metrics: METRICS,
  parts: {
    'front-door': {
      bus: [RecoveryBus],
      providers: [RecoveryCodesStore, RecoveryJudge],
      contributes: [contribute(EXPIRED_ROWS, RecoveryCodesStore), contribute(CREDENTIALS_CHANGED, RecoveryCodesStore)],
    },
    region: {
      http: [RecoveryHttp],
      workers: [EndedCopies],
      providers: [CurrentCopies, Recovery],
      contributes: [contribute(SERVICE_CLIENT_ENDS, EndedCopies)],
    },
  },
};

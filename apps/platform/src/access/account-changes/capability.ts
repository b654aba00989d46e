import { ACCOUNT_MAIL } from '../account-mail/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { contribute } from '../../kit/hooks.ts';
import { IDENTITY } from '../identity/index.ts';
import { EmailChanges1763164800093 } from '../../migrations/front-door/1763164800093-email-changes.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { EXPIRED_ROWS, TOKENS } from '../tokens/index.ts';
import { AccountChangesBus } from './account-changes.bus.ts';
import { AccountChangesHttp } from './account-changes.http.ts';
import { AccountsInUse } from './accounts-in-use.service.ts';
import { CREDENTIALS_CHANGED } from './account-changes.hook.ts';
import { EmailChange } from './email-change.service.ts';
import { EmailChangesStore, endEmailCodes } from './email-changes.store.ts';
import { METRICS } from './metrics.ts';
import { PasswordChange } from './password-change.service.ts';
import { EmailChangeEntity } from './email-change.entity.ts';

/** Persons and companies change the password and the e-mail address that they sign in with. @spec D1-5.8 @gap D1-5.8 */
export const ACCOUNT_CHANGES: Capability = {
  name: 'account-changes',
  uses: [AUDIT, REGIONS, ACCOUNT_MAIL, IDENTITY, TOKENS],
  tables: { frontDoor: [EmailChangeEntity] },
  afterRestore: { frontDoor: { last: [endEmailCodes], covers: ['account.email_change_requested', 'account.password_checked'] } },
  migrations: { frontDoor: [EmailChanges1763164800093] },
  offers: [CREDENTIALS_CHANGED],
  metrics: METRICS,
  parts: {
    'front-door': {
      bus: [AccountChangesBus],
      providers: [AccountsInUse, EmailChangesStore, EmailChange, PasswordChange],
      contributes: [contribute(EXPIRED_ROWS, EmailChangesStore), contribute(CREDENTIALS_CHANGED, EmailChangesStore)],
    },
    region: { http: [AccountChangesHttp] },
  },
};

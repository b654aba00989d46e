import { isProduction } from '@codase/runtime/config';
import type { Capability } from '../../kit/capability.ts';
import { implement } from '../../kit/hooks.ts';
import { REGION_DATABASES } from '../../kit/databases.ts';
import { configuredRelay, ACCOUNT_MAIL, RELAY } from '../../access/account-mail/index.ts';
import { Mail1763164800008 } from '../../migrations/region/1763164800008-mail.ts';
import { ConfirmedAdminEmails1763164800025 } from '../../migrations/region/1763164800025-confirmed-admin-emails.ts';
import { MailDigests1763164800026 } from '../../migrations/region/1763164800026-mail-digests.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { ADMIN_EMAIL_CODE_MAIL, SERVICES } from '../services/index.ts';
import { QueuedAdminEmailCodeMail } from './admin-email-code-mail.store.ts';
import { REGION_MAIL_SHOWN, RegionMailBus } from './region-mail.bus.ts';
import { MAIL_REGIONS, MailWorker } from './mail.worker.ts';
import { METRICS } from './metrics.ts';
import { LOG_KINDS } from './outbox.store.ts';
import { MailEntity, MailQuotaEntity, MailDigestEntity } from './mail.entity.ts';

const NO_RELAY = { note: 'without MAIL_URL nobody gets a mail; alerts are in the logs of services alone' };

/** Mail about webhooks that do not take their events, and with the codes that confirm admin e-mails. @spec D1-6.3 */
export const MAIL: Capability = {
  name: 'mail',
  uses: [REGIONS, ACCOUNT_MAIL, SERVICES],
  tables: {
    region: [
      { entity: MailEntity, moves: { owner: 'company_user_id', key: 'mail_id', names: { webhook_id: ['webhook'] } } },
      { entity: MailQuotaEntity, stays: 'it counts what a region sends in a day' },
      { entity: MailDigestEntity, stays: 'it says which addresses had their digest of the day' },
    ],
  },
  reads: {
    profile: 'the mail that is due is taken in one statement, and none of a company that is not at home',
    service: 'the same statement answers whom the mail goes to now',
  },
  afterRestore: { region: { nothing: 'a mail that waited in the copy is sent, perhaps once more' } },
  migrations: { region: [Mail1763164800008, ConfirmedAdminEmails1763164800025, MailDigests1763164800026] },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  parts: {
    region: {
      bus: [RegionMailBus],
      providers: [QueuedAdminEmailCodeMail],
      implements: [implement(ADMIN_EMAIL_CODE_MAIL, QueuedAdminEmailCodeMail)],
      configure: (config) => ({ providers: [{ provide: REGION_MAIL_SHOWN, useValue: !isProduction(config) }] }),
    },
    delivery: {
      workers: [MailWorker],
      providers: [{ provide: MAIL_REGIONS, useExisting: REGION_DATABASES }],
      configure(config) {
        const relay = configuredRelay(config);
        return { providers: [{ provide: RELAY, useValue: relay }], checks: () => ({ mail: () => (relay ? relay.note : NO_RELAY) }) };
      },
    },
  },
};

import { ConfigFault } from '@cds/runtime/config';
import type { Capability } from '../capability.ts';
import type { DeliveryConfig } from '../config.ts';
import { REGION_DATABASES } from '../databases.ts';
import { Mail1763164800008 } from '../migrations/region/1763164800008-mail.ts';
import { REGIONS } from '../regions/index.ts';
import { SERVICES } from '../services/index.ts';
import { MAIL_REGIONS, MailWorker } from './mail.worker.ts';
import { relayAddress } from './relay-address.ts';
import { Relay, RELAY } from './relay.service.ts';
import { METRICS } from './metrics.ts';
import { LOG_KINDS } from './log-kinds.ts';

const NO_RELAY = { note: 'without MAIL_URL nobody gets a mail; alerts are in the logs of services alone' };

/** Where mail is handed over; null when there is no relay. */
function relayOf({ MAIL_URL, MAIL_PASSWORD, MAIL_FROM }: DeliveryConfig): Relay | null {
  if (!MAIL_URL) return null;
  if (!MAIL_FROM) throw new ConfigFault(['MAIL_FROM: not set; give the address that mail comes from, or leave out MAIL_URL']);
  const address = relayAddress(MAIL_URL, MAIL_PASSWORD);
  if (address.auth?.pass === '')
    throw new ConfigFault(['MAIL_PASSWORD: not set; MAIL_URL names a user, so give MAIL_PASSWORD or MAIL_PASSWORD_FILE']);
  return new Relay(address, MAIL_FROM);
}

/** Mail to those whose webhooks do not take what is theirs. @spec D1-6.3 */
export const MAIL: Capability = {
  name: 'mail',
  uses: [REGIONS, SERVICES],
  tables: { region: { mail: { moves: { owner: 'company_user_id', key: 'mail_id' } } } },
  reads: {
    profile: 'the mail that is due is taken in one statement, and none of a company that is not at home',
    service: 'the same statement answers whom the mail goes to now',
  },
  migrations: { region: [Mail1763164800008] },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  parts: {
    delivery: {
      workers: [MailWorker],
      providers: [{ provide: MAIL_REGIONS, useExisting: REGION_DATABASES }],
      configure(config) {
        const relay = relayOf(config);
        return { providers: [{ provide: RELAY, useValue: relay }], checks: { mail: () => (relay ? relay.note : NO_RELAY) } };
      },
    },
  },
};

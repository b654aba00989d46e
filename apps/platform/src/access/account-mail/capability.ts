import { isProduction } from '@codase/runtime/config';
import type { Capability } from '../../kit/capability.ts';
import { SignUpsAndAccountMail1763164800017 } from '../../migrations/front-door/1763164800017-sign-ups-and-account-mail.ts';
import { configuredRelay } from './configured-relay.service.ts';
import { MAIL_SHOWN, AccountMailBus } from './account-mail.bus.ts';
import { AccountMailStore } from './account-mail.store.ts';
import { AccountMailWorker } from './account-mail.worker.ts';
import { METRICS } from './metrics.ts';
import { RELAY } from './relay.service.ts';
import { AccountMailEntity } from './account-mail.entity.ts';

const NO_RELAY = { note: 'without MAIL_URL nobody gets a code to sign up with; in development npm run codase -- mail shows them' };

/** Mails of the front door, which confirm addresses, and the relay that takes mail. @gap D1-5 */
export const ACCOUNT_MAIL: Capability = {
  name: 'account-mail',
  uses: [],
  tables: { frontDoor: [AccountMailEntity] },
  afterRestore: { frontDoor: { nothing: 'a mail that waited in the copy is sent, perhaps once more' } },
  migrations: { frontDoor: [SignUpsAndAccountMail1763164800017] },
  metrics: METRICS,
  parts: {
    'front-door': {
      bus: [AccountMailBus],
      workers: [AccountMailWorker],
      providers: [AccountMailStore],
      configure(config) {
        const relay = configuredRelay(config);
        const isShown = relay === null && !isProduction(config);
        return {
          providers: [
            { provide: RELAY, useValue: relay },
            { provide: MAIL_SHOWN, useValue: isShown },
          ],
          checks: () => ({ mail: () => (relay ? relay.note : NO_RELAY) }),
        };
      },
    },
  },
};

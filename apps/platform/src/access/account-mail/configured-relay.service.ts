import { ConfigFault } from '@codase/runtime/config';
import type { FrontDoorConfig } from '../../kit/config.ts';
import { relayAddress } from './relay-address.ts';
import { Relay } from './relay.service.ts';

type RelaySettings = Pick<FrontDoorConfig, 'MAIL_URL' | 'MAIL_PASSWORD' | 'MAIL_FROM'>;

/** Returns the configured mail relay; null when there is none. */
export function configuredRelay({ MAIL_URL, MAIL_PASSWORD, MAIL_FROM }: RelaySettings): Relay | null {
  if (!MAIL_URL) return null;
  if (!MAIL_FROM) throw new ConfigFault(['MAIL_FROM: not set; give the address that mail comes from, or leave out MAIL_URL']);
  const address = relayAddress(MAIL_URL, MAIL_PASSWORD);
  if (address.auth?.pass === '')
    throw new ConfigFault(['MAIL_PASSWORD: not set; MAIL_URL names a user, so give MAIL_PASSWORD or MAIL_PASSWORD_FILE']);
  return new Relay(address, MAIL_FROM);
}

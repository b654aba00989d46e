import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability, Followed } from '../../kit/capability.ts';
import { contribute, implement } from '../../kit/hooks.ts';
import { Devices1763164800262 } from '../../migrations/front-door/1763164800262-devices.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { ACT_CHECK, PEERS } from '../../foundation/peers/index.ts';
import { EXPIRED_ROWS, SESSION_BOUND, TOKENS } from '../tokens/index.ts';
import { ActStatements } from './act-statements.service.ts';
import { DEVICE_KEY_ROWS, DEVICE_KEYS } from './device-keys.ts';
import { DeviceEntity } from './device.entity.ts';
import { DevicesHttp } from './devices.http.ts';
import { Devices } from './devices.service.ts';
import { DevicesStore, forgetDevices } from './devices.store.ts';
import { DeviceRegistration } from './device-registration.service.ts';
import { PublishedDevices } from './published-devices.service.ts';
import { METRICS } from './metrics.ts';

const FOLLOWED_KEYS: Followed = { table: DEVICE_KEYS, as: DEVICE_KEY_ROWS, check: 'device_keys' };

/** The devices of persons: keys that sign-ins are bound to. @gap D1-5 */
export const DEVICES: Capability = {
  name: 'devices',
  uses: [AUDIT, REGIONS, PEERS, TOKENS],
  tables: { frontDoor: [DeviceEntity] },
  reads: { session: 'the sessions of a removed device are found by its key, in the transaction that ends them' },
  afterRestore: {
    frontDoor: {
      last: [forgetDevices],
      covers: ['device.added', 'device.removed'],
    },
  },
  migrations: { frontDoor: [Devices1763164800262] },
  publishes: [DEVICE_KEYS],
  metrics: METRICS,
  parts: {
    'front-door': {
      http: [DevicesHttp],
      providers: [DevicesStore, PublishedDevices, DeviceRegistration, Devices],
      contributes: [contribute(SESSION_BOUND, DeviceRegistration), contribute(EXPIRED_ROWS, PublishedDevices)],
      follows: [FOLLOWED_KEYS],
    },
    region: { providers: [ActStatements], implements: [implement(ACT_CHECK, ActStatements)], follows: [FOLLOWED_KEYS] },
  },
};

import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { IDENTITY } from '../identity/index.ts';
import { OwnersInKeysOfTheFrontDoor1763164800201 } from '../../migrations/front-door/1763164800201-owners-in-keys.ts';
import { TrustedDevices1763164800100 } from '../../migrations/front-door/1763164800100-trusted-devices.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { TOKENS } from '../tokens/index.ts';
import { METRICS } from './metrics.ts';
import { PhonesBus } from './phones.bus.ts';
import { PhonesHttp } from './phones.http.ts';
import { Phones } from './phones.service.ts';
import { PhonesStore } from './phones.store.ts';
import { PhoneEntity } from './phone.entity.ts';

/** The phones of persons: which ones are signed in, by the names that the persons gave them. @spec D1-3.1 @gap D1-5 */
export const PHONES: Capability = {
  name: 'phones',
  uses: [AUDIT, REGIONS, IDENTITY, TOKENS],
  tables: { frontDoor: [PhoneEntity] },
  afterRestore: { frontDoor: { nothing: 'a phone of the copy belongs to a session, and all of these end' } },
  migrations: { frontDoor: [TrustedDevices1763164800100, OwnersInKeysOfTheFrontDoor1763164800201] },
  metrics: METRICS,
  parts: {
    'front-door': { bus: [PhonesBus], providers: [PhonesStore, Phones] },
    region: { http: [PhonesHttp] },
  },
};

import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CONNECTIONS } from '../connections/index.ts';
import { IDENTITY } from '../../access/identity/index.ts';
import { PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { REGISTRY } from '../../services/registry/index.ts';
import { VERIFICATION_PROVIDERS } from '../../services/verification-providers/index.ts';
import { SERVICES } from '../../services/services/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { ContactDataHttp } from './contact-data/contact-data.http.ts';
import { ContactData } from './contact-data/contact-data.service.ts';
import { AccountHttp } from './profiles/account.http.ts';
import { ProfilesBus } from './profiles/profiles.bus.ts';
import { Profiles } from './profiles/profiles.service.ts';

/** The own account and profile of persons and companies: what they read and change of it. @spec D1-5.8 */
export const PEOPLE: Capability = {
  name: 'people',
  uses: [AUDIT, REGIONS, PEERS, IDENTITY, TOKENS, REGISTRY, VERIFICATION_PROVIDERS, SERVICES, CONNECTIONS],
  parts: {
    region: {
      http: [AccountHttp, ContactDataHttp],
      bus: [ProfilesBus],
      providers: [Profiles, ContactData],
    },
  },
};

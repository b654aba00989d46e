import * as appEvents from './app-events/endpoints.ts';
import * as accountClients from './clients/account-client-endpoints.ts';
import * as phoneSignIns from './clients/phone-sign-in-endpoints.ts';
import * as signInApps from './clients/sign-in-app-endpoints.ts';
import * as serviceClient from './clients/service-client-endpoints.ts';
import * as connectRequests from './connections/connect-request-endpoints.ts';
import * as customer from './connections/customer-endpoints.ts';
import * as connections from './connections/endpoints.ts';
import type { Endpoint } from './core/endpoint.ts';
import * as discovery from './discovery/endpoints.ts';
import * as customerDocuments from './documents/customer-endpoints.ts';
import * as documents from './documents/endpoints.ts';
import * as appDocuments from './documents/held-document-endpoints.ts';
import * as customerFeed from './feed/customer-endpoints.ts';
import * as feed from './feed/endpoints.ts';
import * as flowAuthoring from './flows/authoring-endpoints.ts';
import * as customerRuns from './flows/customer-run-endpoints.ts';
import * as ownerRuns from './flows/owner-run-endpoints.ts';
import * as runs from './flows/run-endpoints.ts';
import * as accountSecurity from './identity/account-security-endpoints.ts';
import * as identity from './identity/endpoints.ts';
import * as personSecurity from './identity/person-security-endpoints.ts';
import * as phones from './identity/phone-endpoints.ts';
import * as recovery from './identity/recovery-endpoints.ts';
import * as customerMessages from './messages/customer-endpoints.ts';
import * as messages from './messages/endpoints.ts';
import * as personMessages from './messages/person-endpoints.ts';
import * as account from './people/account-endpoints.ts';
import * as contactData from './people/contact-data-endpoints.ts';
import * as delegates from './people/delegate-endpoints.ts';
import * as delegations from './people/delegation-endpoints.ts';
import * as photos from './people/photo-endpoints.ts';
import * as plugins from './plugins/endpoints.ts';
import * as regions from './regions/endpoints.ts';
import * as registry from './registry/endpoints.ts';
import * as seals from './seals/endpoints.ts';
import * as companyData from './services/company-data-endpoints.ts';
import * as services from './services/endpoints.ts';
import * as tokens from './tokens/endpoints.ts';
import * as approvals from './twofa/approval-endpoints.ts';
import * as twofa from './twofa/endpoints.ts';
import * as webhooks from './webhooks/endpoints.ts';

/** The groups of endpoints, in the order in which the OpenAPI document lists them. */
const GROUPS: readonly Record<string, unknown>[] = [
  tokens,
  identity,
  regions,
  discovery,
  seals,
  companyData,
  connections,
  feed,
  messages,
  documents,
  twofa,
  registry,
  runs,
  ownerRuns,
  plugins,
  services,
  serviceClient,
  webhooks,
  account,
  accountClients,
  signInApps,
  accountSecurity,
  recovery,
  contactData,
  photos,
  delegates,
  delegations,
  flowAuthoring,
  customer,
  customerFeed,
  customerMessages,
  customerDocuments,
  customerRuns,
  appEvents,
  approvals,
  personMessages,
  connectRequests,
  phones,
  personSecurity,
  phoneSignIns,
  appDocuments,
];

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Every endpoint, declared once and read by the servers, the clients, the gateway, OpenAPI and the matrix. */
export const ENDPOINTS: readonly Endpoint[] = GROUPS.flatMap((group) => Object.values(group).filter(isEndpoint));

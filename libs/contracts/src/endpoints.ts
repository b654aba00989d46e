import { appEvents } from './app-events/index.ts';
import { auditLog } from './audit/index.ts';
import { accountClients, phoneSignIns, signInApps, serviceClient } from './clients/index.ts';
import { connectRequests, customer, connections } from './connections/index.ts';
import type { Endpoint } from './core/endpoint.ts';
import { discovery } from './discovery/index.ts';
import { customerDocuments, documents, appDocuments } from './documents/index.ts';
import { customerFeed, feed } from './feed/index.ts';
import { flowAuthoring, customerRuns, ownerRuns, runs } from './flows/index.ts';
import { accountSecurity, devices, identity, personSecurity, phones, recovery } from './identity/index.ts';
import { customerMessages, messages, personMessages } from './messages/index.ts';
import { account, contactData, delegates, delegations, photos } from './people/index.ts';
import { plugins } from './plugins/index.ts';
import { regions } from './regions/index.ts';
import { registry } from './registry/index.ts';
import { seals } from './seals/index.ts';
import { companyData, services } from './services/index.ts';
import { tokens } from './tokens/index.ts';
import { approvals, twofa } from './twofa/index.ts';
import { verifications } from './verification/index.ts';
import { webhooks } from './webhooks/index.ts';

/** The groups of endpoints, in the order in which the OpenAPI document lists them. */
const GROUPS: readonly Record<string, unknown>[] = [
  tokens,
  identity,
  regions,
  discovery,
  seals,
  auditLog,
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
  verifications,
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
  devices,
  personSecurity,
  phoneSignIns,
  appDocuments,
];

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Every endpoint, declared once and read by the servers, the clients, the gateway, OpenAPI and the matrix. */
export const ENDPOINTS: readonly Endpoint[] = GROUPS.flatMap((group) => Object.values(group).filter(isEndpoint));

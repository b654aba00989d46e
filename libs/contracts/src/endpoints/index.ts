import type { Endpoint } from '../endpoint.ts';
import * as access from './access.ts';
import * as accountClients from './account-clients.ts';
import * as accountSecurity from './account-security.ts';
import * as account from './account.ts';
import * as appDocuments from './app-documents.ts';
import * as app from './app.ts';
import * as companyData from './company-data.ts';
import * as connections from './connections.ts';
import * as contactData from './contact-data.ts';
import * as customerRuns from './customer-runs.ts';
import * as customer from './customer.ts';
import * as delegates from './delegates.ts';
import * as documents from './documents.ts';
import * as flowAuthoring from './flow-authoring.ts';
import * as ownerRuns from './owner-runs.ts';
import * as photos from './photos.ts';
import * as plugins from './plugins.ts';
import * as recovery from './recovery.ts';
import * as registry from './registry.ts';
import * as runs from './runs.ts';
import * as serviceClient from './service-client.ts';
import * as services from './services.ts';
import * as twofa from './twofa.ts';
import * as webhooks from './webhooks.ts';

export {
  access,
  account,
  accountClients,
  accountSecurity,
  app,
  appDocuments,
  companyData,
  connections,
  contactData,
  customer,
  customerRuns,
  delegates,
  documents,
  flowAuthoring,
  ownerRuns,
  photos,
  plugins,
  recovery,
  registry,
  runs,
  serviceClient,
  services,
  twofa,
  webhooks,
};

/** In the order the OpenAPI document tells them. */
const GROUPS: readonly Record<string, unknown>[] = [
  access,
  companyData,
  connections,
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
  accountSecurity,
  recovery,
  contactData,
  photos,
  delegates,
  flowAuthoring,
  customer,
  customerRuns,
  app,
  appDocuments,
];

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Every endpoint there is, declared once and read by the doors, the clients, the gateway, OpenAPI and the matrix. */
export const ENDPOINTS: readonly Endpoint[] = GROUPS.flatMap((group) => Object.values(group).filter(isEndpoint));

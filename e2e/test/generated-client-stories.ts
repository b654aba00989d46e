/** The program of a service client, written with the types that openapi-typescript makes, and openapi-fetch. */
const WITH_SCHEMA = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

function answered<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}
const { FRONT_DOOR = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;

const frontDoor = createClient<paths>({ baseUrl: FRONT_DOOR });
const token: components['schemas']['TokenResponse'] = answered(
  await frontDoor.POST('/oauth2/token', {
    body: { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
);
const headers = { authorization: \`Bearer \${token.access_token}\` };
const region = createClient<paths>({ baseUrl: token.api_url!, headers });
const { service_id } = answered(await region.GET('/api/company-data/whoami'));
const { items } = answered(await region.GET('/api/company-data/connections', { params: { query: { limit: 10 } } }));
const { events, lease } = answered(await region.GET('/api/company-data/changes', { params: { query: { lease: 'new' } } }));
const { error: misplaced } = await frontDoor.GET('/api/company-data/whoami', { headers });

console.log(
  JSON.stringify({
    service_id,
    customers: items.map(({ display_name }) => display_name),
    events: events.map(({ event }) => event),
    isLeased: lease !== undefined,
    belongsTo: misplaced && 'api_url' in misplaced ? misplaced.api_url : undefined,
  }),
);
`;

/** The same program, written with the functions that @hey-api/openapi-ts makes. */
const WITH_SDK = `
import { createClient } from './sdk/client/index.ts';
import { drainChanges, issueToken, listConnections, whoami } from './sdk/index.ts';

const { FRONT_DOOR = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;

const frontDoor = createClient({ baseUrl: FRONT_DOOR });
const body = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
const { data: token } = await issueToken({ client: frontDoor, body, throwOnError: true });
const client = createClient({ baseUrl: token.api_url!, auth: token.access_token });
const { data: me } = await whoami({ client, throwOnError: true });
const { data: connections } = await listConnections({ client, query: { limit: 10 }, throwOnError: true });
const { data: drained } = await drainChanges({ client, query: { lease: 'new' }, throwOnError: true });
const { error: misplaced } = await whoami({ client: frontDoor, auth: token.access_token });

console.log(
  JSON.stringify({
    service_id: me.service_id,
    customers: connections.items.map(({ display_name }) => display_name),
    events: drained.events.map(({ event }) => event),
    isLeased: drained.lease !== undefined,
    belongsTo: misplaced && 'api_url' in misplaced ? misplaced.api_url : undefined,
  }),
);
`;

/** The programs by the generator of their client. */
export const STORIES = { 'openapi-typescript': WITH_SCHEMA, '@hey-api/openapi-ts': WITH_SDK } as const;

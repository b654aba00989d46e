export { CLIENT_REGISTRY } from './capability.ts';
export { ClientRegistry } from './client-registry.service.ts';
export { ClientAuthenticator } from './client-authenticator.service.ts';
export { patternsFor } from './client-rights.ts';
export { CLIENT_LOOKUP, CLIENTS, isPublic, type ClientLookup, type ClientRow } from './client-row.ts';
export { digestSecret, hashSecret, newSecret } from './client-secret.ts';
export { ClientsTable, publishedClient } from './clients-table.service.ts';
export { ClientsStore, type SignInClient } from './clients.store.ts';
export { SECRET_REPLACED, type SecretReplaced } from './secret-replaced.hook.ts';

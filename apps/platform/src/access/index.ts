export { readSigningKey } from './access-token.ts';
export { FrontDoorAccess, RegionAccess } from './access.module.ts';
export { hashSecret, type Pepper } from './client-secret.ts';
export { CLIENTS, type ClientRow } from './clients.ts';
export { ClientsStore } from './clients.store.ts';
export { CLIENT_ROWS } from './followed-clients.service.ts';
export { BASES, HERE } from './regions.ts';
export { PEPPER, SIGNING_KEY } from './tokens.service.ts';

export { AUTHENTICATOR, CallerGuard, type Authenticator } from './caller-guard.ts';
export { ApiClient, UnexpectedAnswer, type ApiClientOptions, type Exchange } from './client.ts';
export { openDoor } from './door.ts';
export { elsewhere } from './elsewhere.ts';
export { formatOf, JSON_FORMAT, negotiate, XML_FORMAT, type Format } from './formats.ts';
export { openapi } from './openapi.ts';
export { RefusalFilter } from './refusal-filter.ts';
export { servedEndpoints } from './served.ts';
export { Serves } from './serves.ts';

export { CallerGuard, GATEKEEPER, type Call, type Gatekeeper } from './caller-guard.ts';
export { ApiClient, UnexpectedAnswer, type ApiClientOptions, type Exchange } from './client.ts';
export { openDoor, type DoorOptions } from './door.ts';
export { elsewhere, notBuilt, Unmatched } from './elsewhere.ts';
export { formatOf, JSON_FORMAT, negotiate, XML_FORMAT, type Format } from './formats.ts';
export { openapi } from './openapi.ts';
export { RefusalFilter } from './refusal-filter.ts';
export { servedEndpoints } from './served.ts';
export { Serves, type RefusedPage } from './serves.ts';

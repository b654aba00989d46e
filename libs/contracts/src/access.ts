/** Sign-in, tokens, regions and the API's own documents in one group; each is also a group of its own. */
export * from './discovery/endpoints.ts';
export * from './identity/endpoints.ts';
export * from './regions/endpoints.ts';
export * from './tokens/endpoints.ts';
export { TokenResponse } from './tokens/shapes.ts';

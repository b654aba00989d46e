export { asyncapi, type AsyncapiDocument } from './asyncapi.ts';

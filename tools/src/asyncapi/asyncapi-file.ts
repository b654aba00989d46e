import { asyncapi } from '@codase/runtime/asyncapi';

export const ASYNCAPI_FILE = 'docs/asyncapi.json';

export const asyncapiText = (): string => `${JSON.stringify(asyncapi(), null, 2)}\n`;

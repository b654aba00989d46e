import { asyncapi } from '@cds/runtime/asyncapi';

/** Where the document is kept. */
export const ASYNCAPI_FILE = 'docs/asyncapi.json';

/** The document as its file has it. */
export const asyncapiText = (): string => `${JSON.stringify(asyncapi(), null, 2)}\n`;

import { z } from 'zod';
import { fails } from '../core/fails.ts';
import { TEXT } from '../core/text.ts';

/** The refusal of an OAuth parameter that cannot be read. */
export const malformed = fails('oauth.invalid_request');
/** A parameter of an OAuth request. */
export const parameter = z.string(malformed).min(1, malformed).max(4096, malformed).regex(TEXT, malformed);

/** How a client authenticates with a key of its own, in place of a secret. @gap D1-5.2 */
export const assertion = {
  client_assertion: parameter.optional().describe('In place of a secret: a JWT that a key of the client has signed (RFC 7523)'),
  client_assertion_type: parameter.optional().describe('With it: `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`'),
} as const;

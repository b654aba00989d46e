import { z } from 'zod';
import { fails } from '../core/fails.ts';
import { TEXT } from '../core/text.ts';

/** The refusal of an OAuth parameter that cannot be read. */
export const malformed = fails('oauth.invalid_request');
/** A parameter of an OAuth request. */
export const parameter = z.string(malformed).min(1, malformed).max(4096, malformed).regex(TEXT, malformed);

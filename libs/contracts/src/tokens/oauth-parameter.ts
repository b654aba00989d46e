import { z } from 'zod';
import { fails } from '../core/fails.ts';

/** What a parameter of OAuth that cannot be read is refused with. */
export const malformed = fails('oauth.invalid_request');
/** A parameter of an OAuth request. */
export const parameter = z.string(malformed).min(1, malformed).max(4096, malformed);

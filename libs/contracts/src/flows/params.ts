import { z } from 'zod';
import { fails } from '../core/fails.ts';
import { idOr, SLUG } from '../core/text.ts';
import { SourceKey } from './run-shapes.ts';

/** The slug of a run's file answer. */
export const fileSlug = z.string().regex(SLUG, fails('flows.file_not_found')).describe('The slug of the field that the file answers');
/** The key of a source. It contains colons, so a client encodes it. @spec D2-4.2 */
export const sourceKey = z
  .string()
  .refine((key) => SourceKey.safeParse(key).success, fails('flows.file_not_found'))
  .describe('Which file: `field:SLUG` or `conn:PARTY:SLUG`, with its colons percent-encoded');
/** The key of an output document. */
export const outputKey = idOr('flows.no_document').describe('The key of an output document of the definition');

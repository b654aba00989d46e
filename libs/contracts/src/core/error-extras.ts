import { z } from 'zod';
import type { ErrorExtras } from './errors.ts';

const texts = z.array(z.string());

/** The members that some refusals carry beside error and error_key, as the OpenAPI document shows them. */
export const ERROR_EXTRAS = {
  'region.rebase_required': z.object({ api_url: z.string().describe('The base to send the request to; repeat it there once') }),
  'company_data.file_expired': z.object({
    digest: z.string().describe('Lowercase hex SHA-256 of the bytes that were served before'),
    expired_at: z.string().describe('When the file ended'),
  }),
  'plugins.in_use': z.object({
    in_use: z.object({ flows: texts, request_fields: texts, claims: texts }).describe('What uses the plugin'),
  }),
  'flows.source_files_invalid': z.object({
    missing: z
      .array(z.object({ source_key: z.string(), for_user_id: z.string(), source_user_id: z.string() }))
      .describe('Copies that are still to be staged'),
    unexpected: texts.describe('Files that are not needed'),
  }),
  'flows.tag_values_stale': z.object({ stale: texts.describe('Recipients to seal for again: `company`, or user ids') }),
  'flows.turn_answer_invalid': z.object({
    faults: z.array(z.object({ slug: z.string(), fault: z.string() })).describe('What is wrong, by the name of the member'),
  }),
  'account.code_required': z.object({
    step: z.string().optional().describe('At sign-in: repeat the call with `step` and `code`, without the password'),
  }),
  'plugin.key_changed': z.object({ public_key: z.string().describe('The key to seal the question to') }),
} as const satisfies { [K in keyof ErrorExtras]: z.ZodType<ErrorExtras[K]> };

import { z } from 'zod';
import { named } from '../core/named.ts';
import { type FindingKey, FINDINGS } from './findings.ts';

/** One thing publishing has to say about a definition, and where. @gap D2-7 */
export const Finding = named(
  'Finding',
  z.object({
    key: z.enum(Object.keys(FINDINGS) as [FindingKey, ...FindingKey[]]),
    severity: z.enum(['error', 'warning']),
    where: z.object({
      node: z.string().optional(),
      element: z.string().optional(),
      constant: z.string().optional(),
      output: z.string().optional(),
      /** Index of the rule in its document. */
      rule: z.int().optional(),
      path: z.string().optional(),
    }),
    message: z.string(),
  }),
);
export type Finding = z.infer<typeof Finding>;

import { z } from 'zod';
import { named } from '../core/named.ts';
import { type FindingKey, FINDINGS } from './findings.ts';

/** One thing that publishing finds in a definition, and where. @gap D2-7 */
export const Finding = named(
  'Finding',
  z.object({
    key: z.enum(Object.keys(FINDINGS) as [FindingKey, ...FindingKey[]]),
    severity: z.enum(['error', 'warning']),
    where: z.object({
      party: z.string().optional(),
      node: z.string().optional(),
      /** Slug of the element. */
      element: z.string().optional(),
      /** Index of the element on its node, for one without a slug. */
      index: z.int().optional(),
      /** Index of the edge in the definition. */
      edge: z.int().optional(),
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

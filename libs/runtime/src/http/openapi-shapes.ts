import { PORTABLE_PATTERNS } from '@codase/contracts';
import { z } from 'zod';
import { NamedShapes } from '../named-shapes.ts';

/** The shapes of an OpenAPI document, which reads the latest draft of JSON Schema. */
export const openapiShapes = () => new NamedShapes({ override: ({ zodSchema, jsonSchema }) => adapt(jsonSchema, zodSchema) });

/** Formats that say all that their pattern says. The pattern is left out: it is zod's own, and not every engine can compile it. */
const SPEAKING_FORMATS = new Set<unknown>(['date-time', 'date', 'email']);

/** Adds the contract's description of a shape, allows further members unless it is strict, and uses portable patterns. */
function adapt(schema: z.core.JSONSchema.BaseSchema, shape: z.core.$ZodType): void {
  const description = z.globalRegistry.get(shape)?.description;
  if (description !== undefined) schema.description = description;
  // An answer may gain members: clients that were generated from this document must go on reading it.
  if (shape instanceof z.ZodObject && shape.def.catchall === undefined) delete schema.additionalProperties;
  for (const part of [schema, ...((schema.allOf ?? []) as z.core.JSONSchema.BaseSchema[])]) {
    if (SPEAKING_FORMATS.has(part.format)) delete part.pattern;
    // Zod's own word for "has a pattern".
    if (part.format === 'starts_with') delete part.format;
    const portable = PORTABLE_PATTERNS.get(part.pattern ?? '');
    if (portable !== undefined) part.pattern = portable;
  }
}

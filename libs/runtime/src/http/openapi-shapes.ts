import { NAMED_SHAPES, PORTABLE_PATTERNS } from '@cds/contracts';
import { z } from 'zod';

export type Schema = Record<string, unknown>;

/** Shapes as JSON Schema. Those with a name are gathered in one place and referred to from everywhere else. */
export class Shapes {
  readonly named: Record<string, Schema> = {};

  schemaOf(shape: z.ZodType, io: 'input' | 'output'): Schema {
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ shape }), {
      io,
      unrepresentable: 'any',
      metadata: NAMED_SHAPES,
      override: ({ zodSchema, jsonSchema }) => adapt(jsonSchema, zodSchema),
    });
    for (const [name, schema] of Object.entries($defs)) this.keep(name, inComponents(schema as Schema));
    return inComponents(properties!['shape'] as Schema);
  }

  private keep(name: string, schema: Schema): void {
    const known = (this.named[name] ??= schema);
    const isSame = JSON.stringify(known) === JSON.stringify(schema);
    if (!isSame) throw new Error(`The shape ${name} is sent in one form and answered in another: give each its own name`);
  }
}

/** Formats that say all that their pattern says; the pattern is zod's own, and not every engine can compile it. */
const SPEAKING_FORMATS = new Set<unknown>(['date-time', 'date', 'email']);

/** Adds what the contract says of a shape, leaves it open unless it is strict, and keeps to patterns that every engine reads alike. */
function adapt(schema: z.core.JSONSchema.BaseSchema, shape: z.core.$ZodType): void {
  const description = z.globalRegistry.get(shape)?.description;
  if (description !== undefined) schema.description = description;
  // An answer may gain members: clients that were made from this document go on reading it.
  if (shape instanceof z.ZodObject && shape.def.catchall === undefined) delete schema.additionalProperties;
  for (const part of [schema, ...((schema.allOf ?? []) as z.core.JSONSchema.BaseSchema[])]) {
    if (SPEAKING_FORMATS.has(part.format)) delete part.pattern;
    // Zod's own word for "has a pattern".
    if (part.format === 'starts_with') delete part.format;
    const portable = PORTABLE_PATTERNS.get(part.pattern ?? '');
    if (portable !== undefined) part.pattern = portable;
  }
}

/** A schema of its own refers to its `$defs`; inside the document they are components. */
const inComponents = (schema: Schema) => JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Schema;

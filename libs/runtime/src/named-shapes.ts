import { NAMED_SHAPES } from '@codase/contracts';
import { z } from 'zod';

export type Schema = Record<string, unknown>;

type Options = Pick<NonNullable<Parameters<typeof z.toJSONSchema>[1]>, 'target' | 'override'>;

/** Shapes as JSON Schema, for a document. Shapes with a name become its components, which all others refer to. */
export class NamedShapes {
  readonly named: Record<string, Schema> = {};

  constructor(private readonly options: Options) {}

  schemaOf(shape: z.ZodType, io: 'input' | 'output'): Schema {
    const whole = z.toJSONSchema(z.object({ shape }), { io, unrepresentable: 'any', metadata: NAMED_SHAPES, ...this.options });
    const { properties, $defs, definitions = $defs ?? {} } = whole as unknown as Whole;
    for (const [name, schema] of Object.entries(definitions)) this.keep(name, inComponents(schema));
    return inComponents(properties.shape);
  }

  private keep(name: string, schema: Schema): void {
    const known = (this.named[name] ??= schema);
    const isSame = JSON.stringify(known) === JSON.stringify(schema);
    if (!isSame) throw new Error(`The shape ${name} is sent in one form and answered in another: give each its own name`);
  }
}

/** The older drafts of JSON Schema write `definitions`, the newer ones `$defs`. */
interface Whole {
  properties: { shape: Schema };
  definitions?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
}

/** Turns a schema that refers to its own definitions into one that refers to components. Names are not repeated inside. */
function inComponents(schema: Schema): Schema {
  const { id: _name, ...rest } = JSON.parse(
    JSON.stringify(schema).replaceAll(/"#\/(\$defs|definitions)\//g, '"#/components/schemas/'),
  ) as Schema;
  return rest;
}

import fc from 'fast-check';

/** The parts of JSON Schema that the API document uses. */
export interface JsonSchema {
  $ref?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  type?: string | readonly string[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema | false;
  prefixItems?: readonly JsonSchema[];
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
}

/** The schemas that others refer to, by `#/components/schemas/NAME`. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** Returns known texts for a member of this name, for example ids of what exists; undefined when none are known. */
type TextsFor = (member: string) => fc.Arbitrary<string> | undefined;

const MAX_DEPTH = 6;
const MAX_ITEMS = 3;
/** Some lengths are limited to megabytes. A few long texts are enough to reach such limits. */
const MAX_LENGTH = 300;
const REF = '#/components/schemas/';

/** Values that a schema accepts. What a schema says only by its description, such as "sealed to the key of the service", is not met. */
export class SchemaValues {
  private readonly patterns = new Map<string, fc.Arbitrary<string>>();

  constructor(
    private readonly named: NamedSchemas,
    private readonly textsFor: TextsFor,
  ) {}

  of(schema: JsonSchema, member = '', depth = 0): fc.Arbitrary<unknown> {
    if (depth > MAX_DEPTH) return fc.constant(null);
    if (schema.$ref) return this.of(this.named[schema.$ref.slice(REF.length)] ?? {}, member, depth + 1);
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return fc.oneof(...options.map((option) => this.of(option, member, depth + 1)));
    if (schema.allOf) return fc.tuple(...schema.allOf.map((part) => this.of(part, member, depth + 1))).map(joined);
    const types = [schema.type ?? []].flat();
    return types.length > 1
      ? fc.oneof(...types.map((type) => this.ofType(type, schema, member, depth)))
      : this.ofType(types[0], schema, member, depth);
  }

  private ofType(type: string | undefined, schema: JsonSchema, member: string, depth: number): fc.Arbitrary<unknown> {
    switch (type) {
      case 'object':
        return this.object(schema, depth);
      case 'array':
        return this.array(schema, member, depth);
      case 'string':
        return this.textsFor(member) ? fc.oneof(this.textsFor(member)!, this.text(schema)) : this.text(schema);
      case 'integer':
        return fc.integer({ min: schema.minimum ?? -10, max: schema.maximum ?? 1_000_000 });
      case 'number':
        return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return fc.jsonValue({ maxDepth: 1 });
    }
  }

  private object({ properties = {}, required = [], additionalProperties }: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const members = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, this.of(part, name, depth + 1)]));
    const known = fc.record(members, { requiredKeys: required.filter((name) => name in members) });
    if (typeof additionalProperties !== 'object') return known;
    const more = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), this.of(additionalProperties, '', depth + 1), { maxKeys: MAX_ITEMS });
    return fc.tuple(known, more).map(joined);
  }

  private array(schema: JsonSchema, member: string, depth: number): fc.Arbitrary<unknown> {
    const { items = {}, prefixItems = [], minItems = 0, maxItems = MAX_ITEMS } = schema;
    if (items === false) return fc.tuple(...prefixItems.map((item) => this.of(item, member, depth + 1)));
    return fc.array(this.of(items, member, depth + 1), {
      minLength: minItems,
      maxLength: Math.max(minItems, Math.min(maxItems, MAX_ITEMS)),
    });
  }

  private text({ pattern, format, minLength = 0, maxLength = MAX_LENGTH }: JsonSchema): fc.Arbitrary<string> {
    if (format === 'date-time') return DATES.map((date) => date.toISOString());
    if (format === 'date') return DATES.map((date) => date.toISOString().slice(0, 10));
    if (format === 'email') return fc.emailAddress();
    if (format === 'uri') return fc.webUrl();
    if (pattern !== undefined) return this.matching(pattern);
    return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, MAX_LENGTH)) });
  }

  private matching(pattern: string): fc.Arbitrary<string> {
    const known = this.patterns.get(pattern);
    if (known) return known;
    const texts = fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
    this.patterns.set(pattern, texts);
    return texts;
  }
}

const DATES = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });

const joined = (parts: readonly unknown[]): unknown => Object.assign({}, ...(parts as object[])) as unknown;

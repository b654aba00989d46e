import { CHECK_RULES } from './checks.ts';
import type { Definition, Shape } from './definition.ts';
import { isOpenChoice, type FieldTypes } from './field-types.ts';
import { isEmpty, isJsonObject, member, type JsonObject } from './json-values.ts';
import { PRIMITIVES } from './primitives.ts';
import { below, reason, type Reason, type Verdict } from './reasons.ts';
import { PLUGIN } from './row.ts';

/**
 * Validates a value by its type. An empty value, and a value of a type that the registry does not know, are valid. A flow step supplies the
 * options of a choice type that has none of its own. @spec D1-2.5 @spec D2-4.2
 */
export function validateValue(types: Pick<FieldTypes, 'resolve'>, type: string, value: unknown, stepOptions?: readonly string[]): Verdict {
  if (isEmpty(value)) return valid(value);
  if (type === PLUGIN) return containsJsonObject(value) ? valid(value) : refused(reason('not_a_plugin_answer'));
  const definition = types.resolve(type);
  return definition ? judge(withOptions(definition, stepOptions), value) : valid(value);
}

const valid = (normalised: unknown): Verdict => ({ ok: true, normalised });
const refused = (reason: Reason): Verdict => ({ ok: false, reason });

/** Applies the primitive, then the check, then every regex (root first) to the checked value, then the entries. @spec D1-2.5 */
function judge(shape: Shape, value: unknown): Verdict {
  const fault = PRIMITIVES[shape.input](value, shape);
  if (fault) return refused(fault);
  const rule = shape.check && CHECK_RULES[shape.check];
  const checked = rule ? rule.normalise(value) : value;
  if (rule && checked === undefined) return refused(reason(rule.code));
  return mismatch(shape, checked) ?? judgeEntries(shape, checked);
}

/** Returns a refusal when a regex does not match. Regexes apply to strings only. @gap D1-2.5 */
function mismatch({ patterns }: Shape, value: unknown): Verdict | undefined {
  const missed = typeof value === 'string' ? patterns.find(({ regex }) => !regex.test(value)) : undefined;
  return missed && refused({ ...reason('mismatch'), message: `must match the pattern of ${missed.of}` });
}

function judgeEntries({ entries }: Shape, value: unknown): Verdict {
  const normalised = new Map<string, unknown>();
  for (const { key, shape } of entries) {
    const given = member(value as JsonObject, key);
    if (isEmpty(given)) continue;
    const verdict = judge(shape, given);
    if (!verdict.ok) return refused(below(key, verdict.reason));
    normalised.set(key, verdict.normalised);
  }
  return valid(entries.length === 0 ? value : { ...(value as JsonObject), ...Object.fromEntries(normalised) });
}

const withOptions = (definition: Definition, options: readonly string[] | undefined): Shape =>
  options && isOpenChoice(definition) ? { ...definition, options } : definition;

function containsJsonObject(value: unknown): boolean {
  try {
    return typeof value === 'string' && isJsonObject(JSON.parse(value));
  } catch {
    return false;
  }
}

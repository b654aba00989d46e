import { isJsonObject } from '../../field-types/json-values.ts';
import { CONDITION_OPS, type Condition, type ConditionOp, type Leaf, type Scalar } from './definition.ts';
import { LIMITS, MAX_LEVELS } from './limits.ts';
import { list, object, oneOf, optional, string, type Read } from './reading.ts';

/** Reads a key of a condition, reference or tag: a name, or a dotted plugin key. */
export const key: Read<string> = string(3 * LIMITS.name + 2);

/** Reads a literal: a string, finite number, boolean or null. */
export const scalar: Read<Scalar> = (value, notes) => {
  if (typeof value === 'string') return string(LIMITS.text)(value, notes);
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value as Scalar;
  return notes.fault('Must be a string, a number, a boolean or null');
};

const scalars = list(scalar, LIMITS.options);
const operand: Read<Scalar | Scalar[]> = (value, notes) => (Array.isArray(value) ? scalars(value, notes) : scalar(value, notes));

const shape = object<Leaf>({ field: key, op: oneOf(CONDITION_OPS), value: optional(operand) });
const leaf: Read<Leaf> = (value, notes) => {
  const { op, value: wanted } = value as Partial<Leaf>;
  if ((op === 'in' || op === 'not_in') && !Array.isArray(wanted)) return notes.fault(`The operator ${op} needs a list as its value`);
  if (wanted === undefined && takesValue(op)) return notes.fault(`The operator ${op} needs a value`);
  return shape(value, notes);
};

const takesValue = (op: ConditionOp | undefined): boolean => CONDITION_OPS.includes(op!) && op !== 'is_empty' && op !== 'is_not_empty';

const nested = (level: number): Record<string, Read<Condition>> => ({
  and: object({ and: list(conditionAt(level), LIMITS.operands) }),
  or: object({ or: list(conditionAt(level), LIMITS.operands) }),
  not: object({ not: conditionAt(level) }),
});

/** Reads a condition level by level, so that no input can nest deeper than the limit. @gap D2-8 conditions nest as deep as expressions */
const conditionAt =
  (level: number): Read<Condition> =>
  (value, notes) => {
    if (level > MAX_LEVELS) return notes.fault(`Conditions must not nest deeper than ${MAX_LEVELS} levels`);
    if (!isJsonObject(value)) return notes.fault('A condition must be an object');
    const shapes = nested(level + 1);
    const word = Object.keys(shapes).find((name) => Object.hasOwn(value, name));
    return word ? shapes[word]!(value, notes) : leaf(value, notes);
  };

/** Reads a whole condition. @gap D2-2.2 */
export const condition: Read<Condition> = conditionAt(1);

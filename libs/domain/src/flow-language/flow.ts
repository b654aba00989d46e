import { isCalendarDate } from '../field-types/calendar-date.ts';
import type { Condition, Definition, Element, Expr, FlowNode } from './definition/definition.ts';
import { kindsOf, type FieldTypes, type Kinds } from './definition/kinds.ts';
import { compilation } from './expressions/compilation.ts';
import { compileCondition, type Test } from './expressions/condition.ts';
import { compileValues, type ComputeValues } from './expressions/constants.ts';
import { compileExpr, type Evaluate } from './expressions/expression.ts';
import { fieldsOf, readersOf } from './expressions/reads.ts';
import type { Answers, Values } from './expressions/values.ts';

/** A compiled definition, for playing a flow. Everything in it is compiled at most once. */
export interface Flow {
  readonly definition: Definition;
  readonly fieldTypes: FieldTypes;
  readonly kinds: Kinds;
  node(key: string): FlowNode | undefined;
  /** Returns what conditions, text and templates read: the answers with dotted plugin keys and all constants. @spec D2-2.5.4 */
  values(answers: Answers, reference_date: string): Values;
  /** Brings values up to date after the answers of some slugs have changed, and returns the keys whose values may be different now. */
  readonly revise: ComputeValues['revise'];
  /** Returns a function that finds the elements of a node whose `show_if` reads a key. */
  watchersOn(node: FlowNode): (key: string) => readonly Element[];
  /** Whether a condition holds. Undefined, which means no condition, always holds. */
  holds(condition: Condition | undefined, values: Values): boolean;
  /** Returns the value of a default or bound. */
  evaluate(expr: Expr, values: Values, reference_date: string): unknown;
}

/** Compiles a definition that `readDefinition` read. */
export function compileFlow(definition: Definition, fieldTypes: FieldTypes): Flow {
  const kinds = kindsOf(definition, fieldTypes);
  const nodes = new Map(definition.nodes.map((node) => [node.key, node]));
  const { compute, revise } = compileValues(definition.constants, kinds);
  const testOf = once((condition: Condition): Test => compileCondition(condition, compilation(kinds)));
  const evaluateOf = once((expr: Expr): Evaluate => compileExpr(expr, compilation(kinds)));
  const watchersOn = once(({ elements }: FlowNode) =>
    readersOf(elements.map((element) => [element, element.show_if ? fieldsOf(element.show_if) : []])),
  );
  return {
    definition,
    fieldTypes,
    kinds,
    node: (key) => nodes.get(key),
    values: compute,
    revise,
    watchersOn,
    holds: (condition, values) => condition === undefined || testOf(condition)(values),
    evaluate: (expr, values, reference_date) => evaluateOf(expr)(values, isCalendarDate(reference_date) ? reference_date : null),
  };
}

/** Returns a function that calls `make` once for each object, and remembers the result. */
function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

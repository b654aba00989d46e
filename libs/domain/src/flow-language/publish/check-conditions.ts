import type { Condition } from '../definition/definition.ts';
import { finding, type Finding, type Where } from '../definition/finding.ts';
import { fieldsOf } from '../expressions/reads.ts';
import type { Check, CheckContext } from './check-context.ts';

/** Edges, show_if and rules use only keys that exist and can be answered by then. @spec D2-7 @gap D2-7 */
export const conditionsAreAnswerable: Check = function* (context) {
  const { definition, edges, elements } = context;
  for (const { from, to, when, index: edge } of edges) yield* faultsOf(context, when, from, { node: from, edge }, `the edge to ${to}`);
  for (const { node, element, index } of elements) {
    const where: Where = { node: node.key, ...('slug' in element ? { element: element.slug } : { index }) };
    yield* faultsOf(context, element.show_if, node.key, where, 'show_if');
  }
  for (const { key: node, output } of definition.nodes) {
    for (const { output_key, rules } of output?.documents ?? []) {
      for (const [rule, { when }] of rules.entries()) yield* faultsOf(context, when, node, { node, output: output_key, rule }, 'the rule');
    }
  }
};

function* faultsOf(context: CheckContext, condition: Condition | undefined, node: string, where: Where, site: string): Generator<Finding> {
  if (!condition) return;
  for (const key of fieldsOf(condition)) {
    const asks = `On ${node}, ${site} asks for ${key}`;
    if (!context.isKnown(key)) yield finding('condition.ref_unknown', where, `${asks}, which is no slug and no constant`);
    else if (!context.isAvailable(key, node)) yield lateFinding(context, key, where, asks);
  }
}

const lateFinding = ({ constants }: CheckContext, key: string, where: Where, asks: string): Finding =>
  constants.has(key)
    ? finding('constant.ref_not_answerable', { ...where, constant: key }, `${asks}, a constant that reads answers given later or elsewhere`)
    : finding('condition.ref_not_answerable', where, `${asks}, which nobody can have answered by then`);

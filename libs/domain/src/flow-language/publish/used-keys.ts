import type { Condition, Element, FlowNode } from '../definition/definition.ts';
import { fieldsOf, readsOf } from '../expressions/reads.ts';
import { tagsOf } from '../text/tags.ts';
import type { CheckContext } from './check-context.ts';

/** Returns every key that the definition refers to. @spec D2-7 @gap D2-7 shown_on, text and templates count too */
export function usedKeys({ definition: { nodes, edges, constants }, inputs }: CheckContext): Set<string> {
  const used = new Set<string>();
  const note = (keys: Iterable<string>) => {
    for (const key of keys) used.add(key);
  };
  for (const { expr, key, shown_on } of constants) note([...readsOf(expr), ...(shown_on.length ? [key] : [])]);
  for (const { when } of edges) note(conditionKeys(when));
  for (const { elements } of nodes) for (const element of elements) note(elementKeys(element));
  for (const node of nodes) note(ruleKeys(node, inputs.templates));
  return used;
}

const conditionKeys = (condition: Condition | undefined): Iterable<string> => (condition ? fieldsOf(condition) : []);

function elementKeys(element: Element): string[] {
  const keys = [...conditionKeys(element.show_if)];
  if (element.kind === 'text') keys.push(...tagsOf(element.text));
  if (element.kind === 'plugin') keys.push(...Object.values(element.plugin.inputs));
  if (element.kind === 'field') for (const expr of [element.default, element.min, element.max]) if (expr) keys.push(...readsOf(expr));
  return keys;
}

const ruleKeys = ({ output }: FlowNode, templates: ReadonlyMap<string, readonly string[]>): string[] =>
  (output?.documents ?? []).flatMap(({ rules }) =>
    rules.flatMap(({ when, asset_key = '' }) => [...conditionKeys(when), ...(templates.get(asset_key) ?? [])]),
  );

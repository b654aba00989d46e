import type { Definition, Element } from '../definition/definition.ts';
import { descriptionOf, type PublishInputs } from './check-context.ts';

/**
 * Returns the definition with a copy of every plugin's present description, as saving and publishing need it. A plugin whose description
 * cannot be fetched now keeps its earlier copy. @spec D2-2.6 @spec D2-9
 */
export const copySnapshots = (definition: Definition, context: PublishInputs): Definition => ({
  ...definition,
  nodes: definition.nodes.map((node) => ({ ...node, elements: node.elements.map((element) => withSnapshot(element, context)) })),
});

function withSnapshot(element: Element, context: PublishInputs): Element {
  if (element.kind !== 'plugin') return element;
  const snapshot = descriptionOf(context, element);
  return snapshot ? { ...element, plugin: { ...element.plugin, snapshot } } : element;
}

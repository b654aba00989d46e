import type { Definition, Element } from '../definition/definition.ts';
import { descriptionOf, type PublishContext } from './survey.ts';

/**
 * The definition with every plugin's current description copied in, as saving and publishing do. A plugin that cannot be described
 * now keeps the copy it had. @spec D2-2.6 @spec D2-9
 */
export const copySnapshots = (definition: Definition, context: PublishContext): Definition => ({
  ...definition,
  nodes: definition.nodes.map((node) => ({ ...node, elements: node.elements.map((element) => withSnapshot(element, context)) })),
});

function withSnapshot(element: Element, context: PublishContext): Element {
  if (element.kind !== 'plugin') return element;
  const snapshot = descriptionOf(context, element);
  return snapshot ? { ...element, plugin: { ...element.plugin, snapshot } } : element;
}

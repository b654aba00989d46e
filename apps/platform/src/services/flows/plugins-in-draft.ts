import { isJsonObject } from '@codase/domain/field-types';
import type { PluginDescriptions } from './flows.hook.ts';

type Draft = Record<string, unknown>;
type Use = Record<string, unknown>;

const items = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
const member = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);

/** The form of a plugin id. Any other text is no plugin's id, and may have characters that the database refuses. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Returns the plugin of an element; undefined when the author has left it incomplete or wrong. */
function useOf(element: unknown): (Use & { plugin_id: string }) | undefined {
  const use = member(element, 'kind') === 'plugin' ? member(element, 'plugin') : undefined;
  return isJsonObject(use) && typeof use.plugin_id === 'string' && ID.test(use.plugin_id)
    ? (use as Use & { plugin_id: string })
    : undefined;
}

/** Returns the plugins that a draft names, each once. */
export function pluginsIn(draft: unknown): string[] {
  const elements = items(member(draft, 'nodes')).flatMap((node) => items(member(node, 'elements')));
  return [...new Set(elements.flatMap((element) => useOf(element)?.plugin_id ?? []))];
}

/** Returns the draft with the current descriptions of its plugins. A plugin without a description keeps its earlier copy. @spec D2-2.6 */
export function withSnapshots(draft: Draft, descriptions: PluginDescriptions): Draft {
  if (!Array.isArray(draft.nodes) || descriptions.size === 0) return draft;
  const described = (element: unknown): unknown => {
    const use = useOf(element);
    const snapshot = typeof use?.field_type === 'string' ? descriptions.get(use.plugin_id)?.get(use.field_type) : undefined;
    return snapshot ? { ...(element as object), plugin: { ...use, snapshot } } : element;
  };
  const nodes = draft.nodes.map((node: unknown) =>
    isJsonObject(node) && Array.isArray(node.elements) ? { ...node, elements: node.elements.map(described) } : node,
  );
  return { ...draft, nodes };
}

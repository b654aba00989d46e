import { isJsonObject } from '@cds/domain/field-types';
import type { PluginDescriptions } from './plugin-snapshots.hook.ts';

type Draft = Record<string, unknown>;
type Use = Record<string, unknown>;

const items = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
const member = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);

/** What can be the id of a plugin; anything else is nobody's, and may be what no database takes. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The plugin of an element, in whatever state an author left it. */
function useOf(element: unknown): (Use & { plugin_id: string }) | undefined {
  const use = member(element, 'kind') === 'plugin' ? member(element, 'plugin') : undefined;
  return isJsonObject(use) && typeof use.plugin_id === 'string' && ID.test(use.plugin_id)
    ? (use as Use & { plugin_id: string })
    : undefined;
}

/** The plugins that a draft names, each once. */
export function pluginsIn(draft: unknown): string[] {
  const elements = items(member(draft, 'nodes')).flatMap((node) => items(member(node, 'elements')));
  return [...new Set(elements.flatMap((element) => useOf(element)?.plugin_id ?? []))];
}

/** The draft with what its plugins say of themselves now. One that cannot be described keeps the copy it had. @spec D2-2.6 */
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

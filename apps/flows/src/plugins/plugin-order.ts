import { fieldsOf, readsOf, type Flow, type FlowNode, type PluginElement } from '@codase/domain/flow-language';

/**
 * Returns the plugin fields of a step, each after the fields that it depends on. A field depends on others by its inputs or its `show_if`,
 * directly or through constants and defaults. There are no cycles, because a flow with one cannot be published. @spec D2-7
 */
export function pluginsInOrder(flow: Flow, node: FlowNode): PluginElement[] {
  const elements = node.elements.filter((element) => element.kind === 'plugin');
  const sources = sourcesOf(flow, node);
  const [ordered, seen] = [[] as PluginElement[], new Set<string>()];
  const visit = (key: string): void => {
    const known = sources.has(key) ? key : key.split('.')[0]!;
    if (seen.has(known)) return;
    seen.add(known);
    for (const read of sources.get(known) ?? []) visit(read);
    const element = elements.find(({ slug }) => slug === known);
    if (element) ordered.push(element);
  };
  for (const { slug } of elements) visit(slug);
  return ordered;
}

/** Returns the keys from which each field of the step, and each constant, is computed. */
function sourcesOf({ definition }: Flow, { elements }: FlowNode): Map<string, Iterable<string>> {
  const sources = new Map<string, Iterable<string>>(definition.constants.map(({ key, expr }) => [key, readsOf(expr)]));
  for (const element of elements) {
    if (element.kind !== 'field' && element.kind !== 'plugin') continue;
    const shown = element.show_if ? fieldsOf(element.show_if) : [];
    const own = element.kind === 'plugin' ? Object.values(element.plugin.inputs) : element.default ? readsOf(element.default) : [];
    sources.set(element.slug, [...shown, ...own]);
  }
  return sources;
}

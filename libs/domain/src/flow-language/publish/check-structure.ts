import { finding, type Finding, type Where } from '../definition/finding.ts';
import { dependencyOrder, isCycle } from '../graph/dependency-order.ts';
import { neighbours } from '../graph/paths.ts';
import type { Check } from './check-context.ts';

const invalid = (where: Where, message: string): Finding => finding('flows.definition_invalid', where, message);

/** Yields the items whose key an earlier item has too. */
function* repeats<T>(items: readonly T[], keyOf: (item: T) => string): Generator<T> {
  const seen = new Set<string>();
  for (const item of items) {
    if (seen.has(keyOf(item))) yield item;
    seen.add(keyOf(item));
  }
}

/** A key that no party may have: a run that waits for signatures has the status `awaiting_signature`. @spec D2-3 */
const NO_PARTY = 'signature';

/** Party keys are distinct. @spec D2-2.1 @gap D2-7 */
export const partyKeysAreDistinct: Check = function* ({ definition: { parties } }) {
  for (const { key } of repeats(parties, ({ key }) => key)) yield invalid({ party: key }, `Two parties have the key ${key}: rename one`);
};

/** No party key can be confused with a status of the run, and at most one party is the owner. @spec D2-2.1 @gap D2-7 */
export const partiesAreSound: Check = function* ({ definition: { parties } }) {
  if (parties.some(({ key }) => key === NO_PARTY))
    yield invalid({ party: NO_PARTY }, `No party can have the key ${NO_PARTY}: a run awaiting it would look like one awaiting signatures`);
  const owners = parties.filter(({ type }) => type === 'owner');
  if (owners.length > 1) yield invalid({ party: owners[1]!.key }, 'Only one party can be the owner: give the others another type');
};

/** Node keys are distinct. @spec D2-2.1 @gap D2-7 */
export const nodeKeysAreDistinct: Check = function* ({ definition: { nodes } }) {
  for (const { key } of repeats(nodes, ({ key }) => key)) yield invalid({ node: key }, `Two nodes have the key ${key}: rename one`);
};

/** Every node has a party that exists. @spec D2-2.1 @gap D2-7 */
export const nodesHaveParties: Check = function* ({ definition: { nodes }, isParty }) {
  for (const { key, party } of nodes) {
    if (party !== undefined && !isParty(party))
      yield invalid({ node: key }, `The node ${key} belongs to the party ${party}, which does not exist`);
  }
};

/** Slugs are distinct. @spec D2-2.5 @gap D2-2.6 */
export const slugsAreDistinct: Check = function* ({ elements }) {
  const questions = elements.flatMap(({ node, element }) => ('slug' in element ? [{ node: node.key, slug: element.slug }] : []));
  for (const { node, slug } of repeats(questions, ({ slug }) => slug)) {
    yield invalid({ node, element: slug }, `Two elements have the slug ${slug}: rename one`);
  }
};

/** No plugin's slug is a party key, because `{{a.b}}` would then have two meanings. @gap D2-2.6 */
export const pluginSlugsAreNoParties: Check = function* ({ elements, definition: { parties } }) {
  for (const { node, element } of elements) {
    if (element.kind !== 'plugin' || !parties.some(({ key }) => key === element.slug)) continue;
    const where = { node: node.key, element: element.slug };
    yield invalid(where, `${element.slug} names a plugin field and a party, so tags are ambiguous: rename one`);
  }
};

/** The entry and both ends of every edge exist. @spec D2-1 @gap D2-7 */
export const edgesAreSound: Check = function* ({ definition: { entry }, edges, isNode }) {
  if (entry !== undefined && !isNode(entry)) yield invalid({}, `The entry ${entry} is no node`);
  for (const { from, to, index: edge } of edges) {
    if (!isNode(from) || !isNode(to))
      yield invalid({ node: from, edge }, `The edge from ${from} to ${to} names a node that does not exist`);
  }
};

/** The graph has no cycle. @spec D2-1 @gap D2-7 */
export const graphIsAcyclic: Check = function* ({ definition: { nodes, edges } }) {
  const next = neighbours(edges.map(({ from, to }) => [from, to]));
  const following = (key: string) => next.get(key) ?? [];
  for (const group of dependencyOrder(
    nodes.map(({ key }) => key),
    following,
  )) {
    const members = group.toSorted();
    if (isCycle(group, following)) yield invalid({ node: members[0] }, `The nodes ${members.join(', ')} lead in a circle: a flow must end`);
  }
};

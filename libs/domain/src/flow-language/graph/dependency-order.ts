/**
 * Groups keys so that every group comes after the groups that it depends on. Keys that depend on each other share a group (Tarjan's
 * strongly connected components). The grouping does not depend on the order of the keys.
 */
export function dependencyOrder(keys: Iterable<string>, dependsOn: (key: string) => Iterable<string>): string[][] {
  const groups: string[][] = [];
  const open: string[] = [];
  const reached = new Map<string, number>(); // Infinity once its group is closed

  const visit = (key: string): number => {
    const ordinal = reached.size;
    reached.set(key, ordinal);
    open.push(key);
    let lowest = ordinal;
    for (const next of dependsOn(key)) lowest = Math.min(lowest, reached.get(next) ?? visit(next));
    if (lowest === ordinal) {
      const group = open.splice(open.lastIndexOf(key));
      for (const member of group) reached.set(member, Infinity);
      groups.push(group);
    }
    return lowest;
  };

  for (const key of keys) if (!reached.has(key)) visit(key);
  return groups;
}

/** Whether a group is a cycle: several keys, or one that depends on itself. */
export const isCycle = (group: readonly string[], dependsOn: (key: string) => Iterable<string>): boolean =>
  group.length > 1 || [...dependsOn(group[0]!)].includes(group[0]!);

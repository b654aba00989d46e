type Graph = ReadonlyMap<string, readonly string[]>;

/** The cycles of an import graph, each once, as a path that ends where it began. */
export function cycles(graph: Graph): string[][] {
  const done = new Set<string>();
  const found: string[][] = [];
  const path: string[] = [];

  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) found.push([...path.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    path.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };

  for (const file of graph.keys()) visit(file);
  return found;
}

/** A queue with turns among owners: each owner's items in the order they came, and between owners one item each in turn. */
export class FairQueue<T> {
  /** The items of each owner. The first owner of the map is served next, and then becomes the last one. */
  private readonly lines = new Map<string, Set<T>>();
  private length = 0;

  get size(): number {
    return this.length;
  }

  sizeOf(owner: string): number {
    return this.lines.get(owner)?.size ?? 0;
  }

  put(owner: string, item: T): void {
    const line = this.lines.get(owner);
    if (line) line.add(item);
    else this.lines.set(owner, new Set([item]));
    this.length += 1;
  }

  /** Returns the next item. Owners that may not be served now are passed over and keep their turn. */
  take(mayServe: (owner: string) => boolean = always): T | undefined {
    for (const [owner, line] of this.lines) {
      if (!mayServe(owner)) continue;
      const [item] = line;
      this.lines.delete(owner);
      line.delete(item!);
      if (line.size > 0) this.lines.set(owner, line);
      this.length -= 1;
      return item;
    }
    return undefined;
  }

  /** Takes out an item that no longer waits. */
  remove(owner: string, item: T): void {
    const line = this.lines.get(owner);
    if (!line?.delete(item)) return;
    if (line.size === 0) this.lines.delete(owner);
    this.length -= 1;
  }

  /** The last item of the owner with the most items, if it has more than this owner would have: it makes way first. */
  lastOfLonger(owner: string): T | undefined {
    const longest = [...this.lines.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set<T>());
    return longest.size > this.sizeOf(owner) + 1 ? [...longest].at(-1) : undefined;
  }

  /** Every item, of all owners. */
  all(): T[] {
    return [...this.lines.values()].flatMap((line) => [...line]);
  }

  /** How many items are served before one that this owner adds now, if no more are added. */
  ahead(owner: string): number {
    const own = this.sizeOf(owner);
    let ahead = 0;
    for (const line of this.lines.values()) ahead += Math.min(line.size, own + 1);
    return ahead;
  }
}

const always = () => true;

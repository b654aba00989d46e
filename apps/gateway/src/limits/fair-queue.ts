/** Everybody's things in the order they brought them; between people one each in turn, so that nobody waits for another's crowd. */
export class FairQueue<T> {
  /** Whoever stands first is served next and then stands last. */
  private readonly lines = new Map<string, Set<T>>();
  private length = 0;

  get size(): number {
    return this.length;
  }

  put(owner: string, thing: T): void {
    const line = this.lines.get(owner) ?? new Set();
    this.lines.set(owner, line.add(thing));
    this.length += 1;
  }

  take(): T | undefined {
    const [first] = this.lines;
    if (!first) return undefined;
    const [owner, line] = first;
    const [thing] = line;
    this.lines.delete(owner);
    line.delete(thing!);
    if (line.size > 0) this.lines.set(owner, line);
    this.length -= 1;
    return thing;
  }

  /** Takes out one that no longer wants to wait. */
  leave(owner: string, thing: T): void {
    const line = this.lines.get(owner);
    if (!line?.delete(thing)) return;
    if (line.size === 0) this.lines.delete(owner);
    this.length -= 1;
  }

  /** The last of the longest line, where that is longer than this owner's would be with one more: it is the first to make room. */
  lastOfLonger(owner: string): T | undefined {
    const longest = [...this.lines.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set<T>());
    return longest.size > (this.lines.get(owner)?.size ?? 0) + 1 ? [...longest].at(-1) : undefined;
  }

  /** Everything, from all lines. */
  all(): T[] {
    return [...this.lines.values()].flatMap((line) => [...line]);
  }

  /** How many are served before one that this owner brings now, if nobody brings more. */
  ahead(owner: string): number {
    const own = this.lines.get(owner)?.size ?? 0;
    let ahead = 0;
    for (const line of this.lines.values()) ahead += Math.min(line.size, own + 1);
    return ahead;
  }
}

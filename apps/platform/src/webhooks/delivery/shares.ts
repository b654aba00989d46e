/**
 * Places that owners share. One may have as many as are still free beside it: alone it gets half of all, of three each gets a quarter, and
 * there is always one for whoever comes next, however long the others keep theirs.
 */
export class Shares {
  private readonly taken = new Map<string, number>();
  private total = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  hasRoom(owner: string): boolean {
    return (this.taken.get(owner) ?? 0) < this.most - this.total;
  }

  /** Takes a place; what it answers gives it back. */
  take(owner: string): () => void {
    this.change(owner, 1);
    return () => this.change(owner, -1);
  }

  private change(owner: string, by: 1 | -1): void {
    const left = (this.taken.get(owner) ?? 0) + by;
    if (left > 0) this.taken.set(owner, left);
    else this.taken.delete(owner);
    this.total += by;
  }
}

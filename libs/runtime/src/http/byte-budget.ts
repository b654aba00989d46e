/**
 * Bytes that may be reserved at once, shared fairly: an owner may have at most as much as stays free. One owner alone gets half, the next
 * at most half of the rest, and so on: an owner that has few finds memory even when others take all they can get.
 */
export class ByteBudget {
  private readonly reserved = new Map<string, number>();
  private total = 0;
  private most: number;

  /** `changed` is called with how much the total rose or fell. */
  constructor(
    most: number,
    private readonly changed: (by: number) => void = () => {},
  ) {
    this.most = most;
  }

  get inUse(): number {
    return this.total;
  }

  resize(most: number): void {
    this.most = most;
  }

  /** Takes bytes for an owner; false when there are not enough. An owner that has and takes nothing is never refused. */
  take(owner: string, bytes: number): boolean {
    const total = this.reservedBy(owner) + bytes;
    if (total > 0 && total > this.most - this.total - bytes) return false;
    this.add(owner, bytes);
    return true;
  }

  /** Counts bytes that are in use already, even when they exceed the budget: the owner's next request is refused then. */
  add(owner: string, bytes: number): void {
    if (bytes === 0) return;
    this.reserved.set(owner, this.reservedBy(owner) + bytes);
    this.total += bytes;
    this.changed(bytes);
  }

  release(owner: string, bytes: number): void {
    const left = this.reservedBy(owner) - bytes;
    if (left > 0) this.reserved.set(owner, left);
    else this.reserved.delete(owner);
    this.total -= bytes;
    this.changed(-bytes);
  }

  private reservedBy(owner: string): number {
    return this.reserved.get(owner) ?? 0;
  }
}

import { monotonic, type Monotonic } from '@codase/runtime/resilience';

/** More entries than a process needs at once. */
const MAX = 1000;

/** A map that keeps each entry until its time is over, and at most `most` entries. When it is full, the oldest entry is removed first. */
export class ExpiringMap<T> {
  private readonly entries = new Map<string, { value: T; endsAt: number }>();

  constructor(
    private readonly most = MAX,
    private readonly now: Monotonic = monotonic,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  put(key: string, value: T, seconds: number): void {
    this.entries.delete(key);
    this.entries.set(key, { value, endsAt: this.now() + seconds * 1000 });
    this.forgetEnded();
    if (this.entries.size > this.most) this.entries.delete(this.entries.keys().next().value!);
  }

  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    return entry && entry.endsAt > this.now() ? entry.value : undefined;
  }

  /** Returns the value and removes it. */
  take(key: string): T | undefined {
    const value = this.get(key);
    this.entries.delete(key);
    return value;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  /** Removes the entries whose time is over. Otherwise they would stay until something is put. */
  forgetEnded(): void {
    const now = this.now();
    for (const [key, { endsAt }] of this.entries) if (endsAt <= now) this.entries.delete(key);
  }
}

import type { Operation } from './api-document.ts';
import type { Answer } from './judge.ts';

/** How many answers of an operation that was not reached are shown. */
const SHOWN = 3;

/** Knows which operations were reached by a request that succeeded, and what the others answered. */
export class Reach {
  private readonly succeeded = new Map<string, number>();
  private readonly refused = new Map<string, Map<string, number>>();

  note({ name }: Operation, { status, body }: Answer): void {
    if (status > 0 && status < 400) this.succeeded.set(name, this.timesOf(name) + 1);
    if (this.succeeded.has(name)) {
      this.refused.delete(name);
      return;
    }
    const counts = this.refused.get(name) ?? new Map<string, number>();
    const answer = /"error_key":"([\w.]+)"/.exec(body)?.[1] ?? String(status);
    this.refused.set(name, counts.set(answer, (counts.get(answer) ?? 0) + 1));
  }

  /** How often the operation has succeeded. */
  timesOf(name: string): number {
    return this.succeeded.get(name) ?? 0;
  }

  /** Returns the operations that were not reached, each with its most frequent answers. */
  missed(operations: readonly Operation[]): Record<string, Record<string, number>> {
    const missed = operations.filter(({ name }) => !this.succeeded.has(name));
    return Object.fromEntries(missed.map(({ name }) => [name, this.mostFrequent(name)]));
  }

  private mostFrequent(name: string): Record<string, number> {
    const counts = [...(this.refused.get(name) ?? [])].toSorted(([, one], [, other]) => other - one);
    return Object.fromEntries(counts.slice(0, SHOWN));
  }
}

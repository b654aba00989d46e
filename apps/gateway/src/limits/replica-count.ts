/** How many of the newest rounds count, because a replica that was slow to answer once still uses its share. */
const ROUNDS = 3;

/** How many replicas share something: the most that were counted in the newest rounds. */
export class ReplicaCount {
  private counts: readonly number[] = [];

  /** Notes how many replicas answered. The replica that counts is one of them, whether its own answer came or not. */
  saw(answers: number): void {
    this.counts = [...this.counts, Math.max(1, answers)].slice(-ROUNDS);
  }

  /** The number of replicas, which is one before the first count. */
  get now(): number {
    return Math.max(1, ...this.counts);
  }
}

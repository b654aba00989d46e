/** A replica that was slow to answer once still uses its share, so that many rounds back are believed. */
const ROUNDS = 3;

/** How many replicas share something, by the newest rounds in which they were counted. */
export class ReplicaCount {
  private counts: readonly number[] = [];

  /** So many answered. The one that counts is one of them, whether its own answer came or not. */
  saw(answers: number): void {
    this.counts = [...this.counts, Math.max(1, answers)].slice(-ROUNDS);
  }

  /** One, before anybody was counted. */
  get now(): number {
    return Math.max(1, ...this.counts);
  }
}

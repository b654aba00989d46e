const MONTH_MS = 30 * 86_400_000;

/** Whether PDFs can be sealed here, as the last try said. */
export class SealingState {
  /** Why nothing can be sealed: the region is not ready. */
  problem: string | null;
  /** Why the timestamp authority does not stamp: nothing is signed meanwhile, and all else is served. */
  timestampProblem: string | null = null;
  private endsSoon: string | null = null;

  constructor(isChecked: boolean) {
    this.problem = isChecked ? 'not tried yet' : null;
  }

  /** Until when the certificate is valid. One that the region made is renewed long before. */
  noteEnd(end: Date, now: Date): void {
    const isSoon = end.getTime() - now.getTime() < MONTH_MS;
    this.endsSoon = isSoon ? `the certificate of seals ends on ${end.toISOString().slice(0, 10)}: replace it` : null;
  }

  /** For readiness: a note does not hold it back. */
  get finding(): string | { note: string } | null {
    const note = this.timestampProblem ?? this.endsSoon;
    return this.problem ?? (note === null ? null : { note });
  }
}

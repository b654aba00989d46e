const MONTH_MS = 30 * 86_400_000;

/** Whether PDFs can be sealed here, by the last check. */
export class SealingState {
  /** Why nothing can be sealed, so that the region is not ready; null when PDFs can be sealed. */
  problem: string | null;
  /** Why the timestamp authority does not stamp. Nothing can be signed meanwhile, and everything else is served. */
  timestampProblem: string | null = null;
  private endsSoon: string | null = null;

  constructor(isChecked: boolean) {
    this.problem = isChecked ? 'not tried yet' : null;
  }

  /** Notes until when the certificate is valid. A certificate that the region made is renewed long before. */
  noteEnd(end: Date, now: Date): void {
    const isSoon = end.getTime() - now.getTime() < MONTH_MS;
    this.endsSoon = isSoon ? `the certificate of seals ends on ${end.toISOString().slice(0, 10)}: replace it` : null;
  }

  /** The result for the readiness of the region, which a note does not prevent. */
  get finding(): string | { note: string } | null {
    const note = this.timestampProblem ?? this.endsSoon;
    return this.problem ?? (note === null ? null : { note });
  }
}

import { Refusal } from '@cds/contracts';

type End = (error: Error) => void;

/** When bodies must have come. Most come together with their headers: late ones are looked for, rather than a timer set for each. */
class BodyDeadlines {
  private readonly pending = new Map<End, number>();

  add(end: End, deadline: number): void {
    this.pending.set(end, deadline);
  }

  delete(end: End): void {
    this.pending.delete(end);
  }

  /** Refuses those that are late. Every server calls it when it looks at its connections. */
  check(now: number): void {
    for (const [end, deadline] of this.pending) if (deadline <= now) end(new Refusal('request.timeout'));
  }
}

/** Of this process. */
export const bodyDeadlines = new BodyDeadlines();

import { Refusal } from '@codase/contracts';

type End = (error: Error) => void;

/** The deadlines of bodies. Most come together with their headers, so late ones are looked for at intervals, without timers. */
class BodyDeadlines {
  private readonly pending = new Map<End, number>();

  add(end: End, deadline: number): void {
    this.pending.set(end, deadline);
  }

  delete(end: End): void {
    this.pending.delete(end);
  }

  /** Refuses the requests whose bodies are late. Every server calls it when it checks its connections. */
  check(now: number): void {
    for (const [end, deadline] of this.pending) if (deadline <= now) end(new Refusal('request.timeout'));
  }
}

/** The deadlines of this process. */
export const bodyDeadlines = new BodyDeadlines();

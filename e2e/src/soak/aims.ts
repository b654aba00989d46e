/** Far longer than any subject takes to reach a step, even while something is broken. */
const NOBODY_CAME_MS = 240_000;

/** The action at the moment in which a subject reaches a step. Returns undefined when it does not apply to this subject. */
type Strike<Subject> = (subject: Subject) => Promise<unknown> | undefined;

interface Aim<Step, Subject> {
  step: Step;
  strike: Strike<Subject>;
  hit(struck: Promise<unknown>): void;
}

/** Calls a strike in the same turn of the event loop in which a step is reached. Only one strike can be set at a time. */
export class Aims<Step extends string, Subject> {
  private aim: Aim<Step, Subject> | undefined;

  /**
   * Strikes at the next subject that reaches the step and to which the strike applies. Returns whether this happened before the signal
   * came.
   */
  at(step: Step, strike: Strike<Subject>, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => over(() => reject(new Error(`nobody came to the step '${step}'`))), NOBODY_CAME_MS);
      const over = (settle: () => void) => {
        clearTimeout(timer);
        this.aim = undefined;
        signal.removeEventListener('abort', abort);
        settle();
      };
      const abort = () => over(() => resolve(false));
      this.aim = { step, strike, hit: (struck) => over(() => struck.then(() => resolve(true), reject)) };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  }

  reached(step: Step, subject: Subject): void {
    const { aim } = this;
    if (aim?.step !== step) return;
    const struck = aim.strike(subject);
    if (struck) aim.hit(struck);
  }
}

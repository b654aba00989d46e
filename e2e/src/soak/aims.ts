/** Far longer than anything takes to come to a step, also while something is broken. */
const NOBODY_CAME_MS = 240_000;

/** What is done at the moment in which something reaches a step; undefined where it is not done to this one. */
export type Strike<Subject> = (subject: Subject) => Promise<unknown> | undefined;

interface Aim<Step, Subject> {
  step: Step;
  strike: Strike<Subject>;
  hit(struck: Promise<unknown>): void;
}

/** Whoever aims at a step is called in the turn of the event loop in which it is reached. One aims at a time. */
export class Aims<Step extends string, Subject> {
  private aim: Aim<Step, Subject> | undefined;

  /** Strikes at the next that reaches the step and is struck at. Answers whether one was, before the signal came. */
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

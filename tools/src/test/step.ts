/** What a step needs to know of the run it belongs to. */
export interface Run {
  root: string;
  /** A folder of this run alone, removed at its end. */
  folder: string;
  jestArguments: readonly string[];
  signal: AbortSignal;
}

/** How a step went: every step is one check, every Jest test is one. */
export interface Outcome {
  passed: number;
  failed: number;
  /** What is wrong and how to mend it, for people. */
  report?: string;
  /** Why the step could not be judged in this run; it then counts neither as passed nor as failed. */
  leftOut?: string;
}

/** One step of `npm test`. */
export interface Step {
  name: string;
  /** Whether the step takes so long that the steps before it run at the same time. */
  isLong?: boolean;
  run(run: Run): Promise<Outcome>;
}

export const PASSED: Outcome = { passed: 1, failed: 0 };

/** One failed check. */
export const failed = (report: string): Outcome => ({ passed: 0, failed: 1, report });

/** Passes when there are no complaints. */
export const judge = (complaints: readonly string[]): Outcome => (complaints.length ? failed(complaints.join('\n')) : PASSED);

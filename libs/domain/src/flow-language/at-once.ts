/** Takes all steps at once and returns the result, for callers that nobody waits for. */
export function atOnce<T>(steps: Iterator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** An error for an operator: its message is a sentence of ours that says what to mend, and quotes no value, so logs and probes show it. */
export class OperatorFault extends Error {
  override name = 'OperatorFault';
}

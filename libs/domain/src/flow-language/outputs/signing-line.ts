import type { SignAction, Signer } from '../definition/definition.ts';

/** A produced document with its signers. The signing line is built from these, in output order. */
export interface SignedOutput {
  output_key: string;
  /** Null when every participant signs, in party order. */
  signers: readonly Signer[] | null;
}

/** One signature or acceptance of a run. */
export interface Step {
  /** The place in the line, from 1. */
  position: number;
  output_key: string;
  party: string;
  action: SignAction;
}

/** Returns all signatures of a run: every output's first signer in output order, then every second, and so on. @spec D2-8 */
export function signingLine(outputs: readonly SignedOutput[], parties: readonly string[]): Step[] {
  const everyone = parties.map((party): Signer => ({ party, action: 'sign' }));
  const queues = outputs.map(({ output_key, signers }) => (signers ?? everyone).map((signer) => ({ output_key, ...signer })));
  const length = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length }, (_, index) => queues.flatMap((queue) => queue[index] ?? []))
    .flat()
    .map((step, index) => ({ position: index + 1, ...step }));
}

/** Returns the one open step: the first whose party has not acted. Undefined when the line is done. @spec D2-8 */
export const openStep = (line: readonly Step[], acted: ReadonlySet<number>): Step | undefined =>
  line.find(({ position }) => !acted.has(position));

/** Whether the output is sealed after this step, because it is the output's last step. @spec D2-8 */
export const seals = (line: readonly Step[], step: Step): boolean =>
  !line.some(({ output_key, position }) => output_key === step.output_key && position > step.position);

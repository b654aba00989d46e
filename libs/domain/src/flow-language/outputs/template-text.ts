import type { Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { availabilityOf } from '../graph/availability.ts';
import { answerText } from '../text/render-text.ts';

/** Returns a function from a template's tag to its text at a leaf. The text is empty for a key that has no answer there. @spec D2-4.3.6 */
export function templateText(flow: Flow, leaf: string, values: Values): (tag: string) => string {
  const { isAvailable } = availabilityOf(flow.definition);
  return (tag) => (flow.kinds.has(tag) && isAvailable(tag, leaf) ? (answerText(flow, tag, values) ?? '') : '');
}

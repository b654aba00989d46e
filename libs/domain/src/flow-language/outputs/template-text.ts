import type { Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { availabilityOf } from '../graph/availability.ts';
import { answerText } from '../text/render-text.ts';

/** What a template's tag prints at a leaf: every key answerable there, and nothing for any other. @spec D2-4.3.6 */
export function templateText(flow: Flow, leaf: string, values: Values): (tag: string) => string {
  const { isAvailable } = availabilityOf(flow.definition);
  return (tag) => (flow.kinds.has(tag) && isAvailable(tag, leaf) ? (answerText(flow, tag, values) ?? '') : '');
}

import { isCalendarDate } from '../../field-types/calendar-date.ts';
import { isEmpty } from '../../field-types/json-values.ts';
import { readAnswer } from '../answers/read-answers.ts';
import type { FieldElement, FlowNode } from '../definition/definition.ts';
import { roundToCents } from '../expressions/rounding.ts';
import { finite, ownValue, numeric, textOf, type Answers, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { atOnce } from '../at-once.ts';
import { questionsOf } from './shown-elements.ts';
import { hidingDrafts, type Draft, type Drafts } from './step-values.ts';

/**
 * Applies the default of one field. The default fills an empty field, updates the value while it is still the one that the default wrote
 * last, clears the field when the default becomes null, and changes nothing else. A field that a person empties is filled again.
 * @spec D2-7 @gap D2-7
 */
export function followDefault(draft: Draft, fresh: string | null): Draft {
  const follows = isEmpty(draft.value) || draft.value === draft.written;
  if (draft.linked || !follows) return draft;
  if (fresh !== null) return fresh === draft.value ? draft : { value: fresh, written: fresh };
  return isEmpty(draft.value) ? draft : { value: null };
}

/** Returns the text that a default writes into its field. Null when it has no value that fits. @spec D2-7 */
export function defaultText(flow: Flow, { type, default: expr }: FieldElement, values: Values, reference_date: string): string | null {
  if (expr === undefined) return null;
  const value = flow.evaluate(expr, values, reference_date);
  const kind = flow.fieldTypes.kindOf(type);
  if (kind === 'number') return numberText(finite(numeric(value)), flow.fieldTypes.resolve(type)?.check === 'decimal');
  if (kind === 'date') return isCalendarDate(value) ? value : null;
  return textOf(value) || null;
}

const numberText = (value: number | null, decimal: boolean): string | null =>
  value === null ? null : String(decimal ? roundToCents(value) : value);

/**
 * Fills in the defaults of a step. Defaults may read each other, also through constants, so this repeats until nothing changes. Publishing
 * refuses cycles, so one round for each element is always enough. @spec D2-7
 */
export const fillDefaults = (...given: Parameters<typeof fillingDefaults>): Drafts => atOnce(fillingDefaults(...given));

/** Does the same in steps, so that a server can do other work between them: many defaults that read each other take many rounds. */
export function* fillingDefaults(
  flow: Flow,
  node: FlowNode,
  answers: Answers,
  drafts: Drafts,
  reference_date: string,
): Generator<undefined, Drafts> {
  let current = drafts;
  for (const _round of node.elements) {
    const { values } = yield* hidingDrafts(flow, node, answers, current, reference_date);
    const next = fillOnce(flow, node, { answers, drafts: current, values, reference_date });
    if (next === current) return current;
    current = next;
    yield;
  }
  return current;
}

interface Filling {
  answers: Answers;
  drafts: Drafts;
  values: Values;
  reference_date: string;
}

function fillOnce(flow: Flow, node: FlowNode, { answers, drafts, values, reference_date }: Filling): Drafts {
  const moved: [string, Draft][] = [];
  for (const element of questionsOf(flow, node, values)) {
    if (element.kind !== 'field') continue;
    const draft = (Object.hasOwn(drafts, element.slug) && drafts[element.slug]) || saved(flow, element, answers);
    const next = followDefault(draft, defaultText(flow, element, values, reference_date));
    if (next !== draft) moved.push([element.slug, next]);
  }
  return moved.length ? { ...drafts, ...Object.fromEntries(moved) } : drafts;
}

/** Returns the draft of a field that has none: the answer that was saved before, which may be empty. @spec D2-7 @gap D2-7 */
const saved = ({ fieldTypes }: Flow, { slug, type }: FieldElement, answers: Answers): Draft => ({
  value: readAnswer(fieldTypes.kindOf(type), ownValue(answers, slug)),
});

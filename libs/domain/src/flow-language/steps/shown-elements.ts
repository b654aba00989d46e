import { isEmpty } from '../../field-types/json-values.ts';
import type { Element, FieldElement, FlowNode, PluginElement } from '../definition/definition.ts';
import { ownValue, textOf, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { isFilledPluginAnswer } from '../plugins/plugin-answer.ts';

/** Returns the elements of a step whose `show_if` holds. @spec D2-2.6 */
export const shownElements = (flow: Flow, node: FlowNode, values: Values): Element[] =>
  node.elements.filter(({ show_if }) => flow.holds(show_if, values));

/** An element that takes an answer. */
export type Question = FieldElement | PluginElement;

/** Returns all questions of a step, shown or not. */
export const questionsIn = ({ elements }: FlowNode): Question[] => elements.filter(isQuestion);

const isQuestion = (element: Element): element is Question => element.kind === 'field' || element.kind === 'plugin';

/** Returns the questions that a step asks with these values. */
export const questionsOf = (flow: Flow, node: FlowNode, values: Values): Question[] => shownElements(flow, node, values).filter(isQuestion);

/** Returns the slugs that are required and not answered yet. @spec D2-7 */
export const unanswered = (flow: Flow, node: FlowNode, values: Values): string[] =>
  questionsOf(flow, node, values)
    .filter((question) => question.required && !isAnswered(question, ownValue(values, question.slug)))
    .map(({ slug }) => slug);

const isAnswered = ({ kind }: Question, value: unknown): boolean => (kind === 'plugin' ? isFilledPluginAnswer(value) : !isEmpty(value));

/** A constant that is shown read-only after the inputs of a step. A null value cannot be computed yet. */
export interface ShownConstant {
  key: string;
  label: string;
  value: string | null;
}

/** Returns the constants that a step shows, as plain text that is not localized. @spec D2-7 */
export const shownConstants = (flow: Flow, node: string, values: Values): ShownConstant[] =>
  flow.definition.constants
    .filter(({ shown_on }) => shown_on.includes(node))
    .map(({ key, label }) => ({ key, label: label || key, value: textOf(ownValue(values, key)) }));

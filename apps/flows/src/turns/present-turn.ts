import { FILE_BYTES, type TurnField } from '@codase/contracts';
import {
  fillDefaults,
  questionsOf,
  stepValues,
  type Answers,
  type Flow,
  type FlowNode,
  type FieldElement,
  type Kind,
  type PluginUse,
  type Question,
  type Values,
} from '@codase/domain/flow-language';

/** A step of the company with all that is needed to answer it, opened. */
export interface OpenedStep {
  flow: Flow;
  node: FlowNode;
  /** The answers in the form in which they are sent, by slug. */
  answers: Answers;
  reference_date: string;
  private_slugs: readonly string[];
}

interface PresentedTurn {
  answers: Record<string, unknown>;
  constants: Record<string, unknown>;
  fields: TurnField[];
}

/** Returns what the service or person that answers the step sees: typed answers, constants, and questions with defaults. @spec D2-4.2 */
export function presentTurn({ flow, node, answers, reference_date }: OpenedStep): PresentedTurn {
  const drafts = fillDefaults(flow, node, answers, {}, reference_date);
  const values = stepValues(flow, node, answers, drafts, reference_date);
  const constants = new Set(flow.definition.constants.map(({ key }) => key));
  const typed = typedValues(flow, flow.values(answers, reference_date));
  return {
    answers: Object.fromEntries(typed.filter(([key]) => !constants.has(key))),
    constants: Object.fromEntries(typed.filter(([key]) => constants.has(key))),
    fields: questionsOf(flow, node, values).map((question) =>
      presentField(flow, question, { values, reference_date, written: drafts[question.slug]?.written }),
    ),
  };
}

const typedValues = ({ kinds }: Flow, values: Values): [string, unknown][] =>
  [...kinds].flatMap(([key, kind]) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    return value === undefined || value === null || value === '' ? [] : [[key, typedValue(kind, value)]];
  });

/** Converts numbers, which are sent as text, back to numbers for code that computes with them. Other text stays as it is. */
function typedValue(kind: Kind, value: unknown): unknown {
  if (kind !== 'number' || typeof value !== 'string') return value;
  const number = Number(value.trim());
  return Number.isFinite(number) ? number : value;
}

interface Standing {
  values: Values;
  reference_date: string;
  written: string | undefined;
}

function presentField(flow: Flow, question: Question, { values, reference_date, written }: Standing): TurnField {
  const { slug, label, required } = question;
  if (question.kind === 'plugin') return { slug, label, kind: 'plugin', type: null, required, plugin: presentPlugin(question.plugin) };
  if (flow.kinds.get(slug) === 'binary')
    return { slug, label, kind: 'field', type: question.type, required, file: fileLimits(flow, question) };
  const bound = (name: 'min' | 'max') => {
    const limit = question[name] && flow.evaluate(question[name], values, reference_date);
    return typeof limit === 'number' || typeof limit === 'string' ? { [name]: limit } : {};
  };
  const options = question.options && { options: [...question.options] };
  const fallback = written !== undefined && { default: written };
  return { slug, label, kind: 'field', type: question.type, required, ...options, ...bound('min'), ...bound('max'), ...fallback };
}

const presentPlugin = ({ snapshot: { plugin_name, blocks, outputs } }: PluginUse): NonNullable<TurnField['plugin']> => ({
  plugin_name,
  blocks: blocks.map(({ key, kind, label, depends_on }) => ({ key, kind, label, ...(depends_on && { depends_on: [...depends_on] }) })),
  outputs: outputs.map(({ key, type, label }) => ({ key, type, label })),
});

const fileLimits = ({ fieldTypes }: Flow, { type }: FieldElement) => ({
  most_bytes: fieldTypes.resolve(type)?.lane === 'photo' ? FILE_BYTES.photo : FILE_BYTES.document,
});

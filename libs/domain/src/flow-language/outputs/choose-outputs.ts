import type { FlowNode, OutputDocument, Rule, Signer } from '../definition/definition.ts';
import type { Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { sourceOf, type Source } from './sources.ts';

/** A document that will be produced: its PDF source and its signers. */
export interface ProducedOutput {
  output_key: string;
  name: string;
  /** Index of the rule that was chosen. */
  rule: number;
  source: Source;
  /** Null when every participant signs, in party order: the rule has no list, or an empty one. @gap D2-2.4 */
  signers: readonly Signer[] | null;
}

/** The facts with which rules are tested. */
export interface RuleFacts {
  values: Values;
  /** The profile language of the participant whose language decides. */
  language: string | null;
  /** The source keys of the files that the run has. */
  available: ReadonlySet<string>;
}

/** Returns the documents of a leaf, each by its first rule that matches; one without is left out. @spec D2-4.3.2 @spec D2-4.3.4 */
export const chooseOutputs = (flow: Flow, leaf: FlowNode, facts: RuleFacts): ProducedOutput[] =>
  (leaf.output?.documents ?? []).flatMap((document) => produce(flow, document, facts) ?? []);

function produce(flow: Flow, { output_key, name, rules }: OutputDocument, facts: RuleFacts): ProducedOutput | undefined {
  for (const [index, rule] of rules.entries()) {
    const source = sourceOf(rule);
    if (source && isAvailable(source, facts) && matchesLanguage(rule, facts) && flow.holds(rule.when, facts.values)) {
      return { output_key, name, rule: index, source, signers: rule.signers?.length ? rule.signers : null };
    }
  }
  return undefined;
}

/** Whether the run has the PDF of a rule. Otherwise the rule does not match. @spec D2-4.3.3 */
const isAvailable = (source: Source, { available }: RuleFacts): boolean => source.kind === 'asset' || available.has(source.source_key);

/** Whether the rule is for the language. Languages are compared by exact code. @gap D2-2.4 */
const matchesLanguage = ({ languages }: Rule, { language }: RuleFacts): boolean =>
  languages === 'all' || (language !== null && languages.includes(language));

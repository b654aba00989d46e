import type { Condition, Expr } from '@codase/contracts';
import { privateKeys, readsOf, textOf } from '@codase/domain/flow-language';
import type { Given } from './given-answers.ts';
import type { OpenedStep } from './present-turn.ts';

/** A rule that answers a step without a service: when `when` holds, these are the answers, in the language of constants. @spec D2-2.5 */
export interface AnswerRule {
  node: string;
  when?: Condition | undefined;
  answers: Readonly<Record<string, Expr>>;
  /** The answers of plugin fields, by block: the pick, by its label or id, or the typed value. @spec D2-2.6 */
  plugins: Readonly<Record<string, PluginRule>>;
}
interface PluginRule {
  picks: Readonly<Record<string, Expr>>;
  values: Readonly<Record<string, Expr>>;
}

/** The answers of a rule, and which of them come from a private source. @spec D2-2.3 */
export interface RuleAnswers {
  given: Given;
  from_private: ReadonlySet<string>;
  /** Whether plugins are asked for some of them, which may take long. */
  asksPlugins: boolean;
}

/** Returns the answers of the first rule that fits, unless it would send a private value to a plugin. @spec D2-4.5.5 */
export function answerByRule(step: OpenedStep, rules: readonly AnswerRule[]): RuleAnswers | undefined {
  const { flow, node, answers, reference_date, private_slugs } = step;
  const values = flow.values(answers, reference_date);
  const rule = rules.find(({ node: key, when }) => key === node.key && flow.holds(when as never, values));
  if (!rule) return undefined;
  const isPrivate = privateKeys(flow, { party: node.party, node: node.key, private_slugs });
  const readsPrivate = (expr: Expr) => [...readsOf(expr as never)].some(isPrivate);
  const sent = Object.values(rule.plugins).flatMap(({ picks, values: typed }) => [...Object.values(picks), ...Object.values(typed)]);
  if (sent.some(readsPrivate)) return undefined;
  const worked = (expr: Expr) => flow.evaluate(expr as never, values, reference_date);
  const text = (expr: Expr) => textOf(worked(expr)) ?? '';
  return {
    given: {
      ...mapped(rule.answers, text),
      ...mapped(rule.plugins, ({ picks, values: typed }) => ({ picks: mapped(picks, text), values: mapped(typed, worked) })),
    },
    from_private: new Set(Object.keys(rule.answers).filter((slug) => readsPrivate(rule.answers[slug]!))),
    asksPlugins: Object.keys(rule.plugins).length > 0,
  };
}

const mapped = <T, U>(members: Readonly<Record<string, T>>, change: (member: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(members).map(([key, member]) => [key, change(member)]));

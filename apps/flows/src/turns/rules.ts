import type { Condition, Expr } from '@cds/contracts';
import { textOf } from '@cds/domain/flow-language';
import type { OpenedStep } from './present-turn.ts';

/** A step that needs no service: when the condition holds, these are its answers, in the language of constants. @spec D2-2.5 */
export interface AnswerRule {
  node: string;
  when?: Condition | undefined;
  answers: Readonly<Record<string, Expr>>;
}

/** What the first rule that fits a step answers; undefined where none does. */
export function answerByRule(
  { flow, node, answers, reference_date }: OpenedStep,
  rules: readonly AnswerRule[],
): Record<string, string> | undefined {
  const values = flow.values(answers, reference_date);
  const rule = rules.find(({ node: key, when }) => key === node.key && flow.holds(when as never, values));
  if (!rule) return undefined;
  const computed = Object.entries(rule.answers).map(
    ([slug, expr]) => [slug, textOf(flow.evaluate(expr as never, values, reference_date)) ?? ''] as const,
  );
  return Object.fromEntries(computed);
}

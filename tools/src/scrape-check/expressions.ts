import { parser } from '@prometheus-io/lezer-promql';
import type { Board } from '../boards/board.ts';
import type { Alert } from '../deploy-check/alert-problems.ts';

/** A question to Prometheus, and who asks it. */
export interface Question {
  asker: string;
  expression: string;
  /** An alert that does not fire answers nothing; a panel that answers nothing is empty. */
  mayBeEmpty: boolean;
}

/** What Grafana puts in place of its variables. The interval covers a short run, in which everything happens at least twice. */
const filledIn = (expression: string, interval: string): string =>
  expression.replaceAll('$__rate_interval', interval).replaceAll(/\$(namespace|app)\b/g, '.*');

/** Every expression of every panel and alert. Of an alert each selector is a question too: without a series it would never fire. */
export function questionsOf(boards: readonly Board[], alerts: readonly Alert[], interval: string): Question[] {
  const ofPanels = boards.flatMap(({ title, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) =>
        Object.values(panel.shows).map((expression) => ({
          asker: `The panel "${panel.title}" of "${title}"`,
          expression: filledIn(expression, interval),
          mayBeEmpty: false,
        })),
      ),
    ),
  );
  const ofAlerts = alerts.flatMap(({ alert, expr }) => {
    const asker = `The alert ${alert}`;
    const series = metricsIn(expr).map((name) => ({ asker, expression: `count(${name})`, mayBeEmpty: false }));
    return [{ asker, expression: expr, mayBeEmpty: true }, ...series];
  });
  return [...ofPanels, ...ofAlerts];
}

/** Names of the series that an expression selects. */
export function metricsIn(expression: string): string[] {
  const names = new Set<string>();
  parser.parse(expression).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.name === 'Identifier' && node.parent?.type.name === 'VectorSelector') names.add(expression.slice(from, to));
    },
  });
  return [...names];
}

/** What Prometheus answers: the values of all series, or why it does not. */
export type Answered = { values: readonly number[] } | { error: string };

/** What is wrong with an answer, as a sentence; undefined where nothing is. */
export function problemOf({ asker, expression, mayBeEmpty }: Question, answered: Answered): string | undefined {
  if ('error' in answered) return `${asker} is refused by Prometheus: ${answered.error}: ${expression}`;
  if (answered.values.length === 0) return mayBeEmpty ? undefined : `${asker} finds no series: ${expression}`;
  return answered.values.some(Number.isNaN) ? `${asker} shows what is no number (NaN): ${expression}` : undefined;
}

import { parser } from '@prometheus-io/lezer-promql';
import type { DashboardPlan } from '../boards/dashboard.ts';
import type { Alert } from '../deploy-check/alert-problems.ts';

/** A query for Prometheus, and the panel or alert that makes it. */
interface Question {
  asker: string;
  expression: string;
  /** Whether the answer may be empty. It is empty for an alert that does not fire; a panel without an answer would show nothing. */
  mayBeEmpty: boolean;
}

/** Replaces Grafana's variables, as Grafana does. The interval covers a short run, in which everything happens at least twice. */
const filledIn = (expression: string, interval: string): string =>
  expression.replaceAll('$__rate_interval', interval).replaceAll(/\$(namespace|app)\b/g, '.*');

/** Returns every expression of panels and alerts, and each selector of an alert: without a series it would never fire. */
export function questionsOf(dashboards: readonly DashboardPlan[], alerts: readonly Alert[], interval: string): Question[] {
  const ofPanels = dashboards.flatMap(({ title, rows }) =>
    Object.values(rows)
      .flat()
      .flatMap((panel) => {
        const asker = `The panel "${panel.title}" of "${title}"`;
        return Object.values(panel.shows).map((shown) => ({ asker, expression: filledIn(shown, interval), mayBeEmpty: false }));
      }),
  );
  const ofAlerts = alerts.flatMap(({ alert, expr }) => {
    const asker = `The alert ${alert}`;
    const series = metricsIn(expr).map((name) => ({ asker, expression: `count(${name})`, mayBeEmpty: false }));
    return [{ asker, expression: expr, mayBeEmpty: true }, ...series];
  });
  return [...ofPanels, ...ofAlerts];
}

export function metricsIn(expression: string): string[] {
  const names = new Set<string>();
  parser.parse(expression).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.name === 'Identifier' && node.parent?.type.name === 'VectorSelector') names.add(expression.slice(from, to));
    },
  });
  return [...names];
}

/** The answer of Prometheus: the values of all series, or an error. */
export type Answered = { values: readonly number[] } | { error: string };

/** Returns what is wrong with an answer, as a sentence; undefined when nothing is. */
export function problemOf({ asker, expression, mayBeEmpty }: Question, answered: Answered): string | undefined {
  if ('error' in answered) return `${asker} is refused by Prometheus: ${answered.error}: ${expression}`;
  if (answered.values.length === 0) return mayBeEmpty ? undefined : `${asker} finds no series: ${expression}`;
  return answered.values.some(Number.isNaN) ? `${asker} shows what is no number (NaN): ${expression}` : undefined;
}

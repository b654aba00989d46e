import { parser } from '@prometheus-io/lezer-promql';
import { gaugesIn, seriesIn } from '../deploy-check/alert-problems.ts';
import type { DashboardPlan, Panel } from './dashboard.ts';
import { DASHBOARDS, DASHBOARDS_FOLDER, staleDashboards } from './dashboards.ts';

/** The series that every process reports of itself, under the names of OpenTelemetry: `process-metrics.ts` of the runtime. */
const OF_PROCESSES = [
  'nodejs_eventloop_delay_p99_seconds',
  'nodejs_eventloop_utilization',
  'process_memory_usage_bytes',
  'v8js_gc_duration_seconds_sum',
  'v8js_memory_heap_used_bytes',
];

/** Returns what is wrong with dashboards: no PromQL, an unknown series, a sum over replicas that read the same, a stale file. */
export function dashboardProblems(root: string, dashboards: readonly DashboardPlan[] = DASHBOARDS): string[] {
  const known = { series: new Set([...seriesIn(root), ...OF_PROCESSES]), gauges: gaugesIn(root) };
  return [
    ...dashboards.flatMap(({ title, rows }) =>
      Object.values(rows).flatMap((row) => row.flatMap((panel) => panelProblems(title, panel, known))),
    ),
    ...staleDashboards(root).map((name) => `${DASHBOARDS_FOLDER}/${name} is not current: npm run boards -- --write`),
  ];
}

interface Known {
  series: ReadonlySet<string>;
  gauges: ReadonlySet<string>;
}

function panelProblems(dashboard: string, { title, shows }: Panel, { series, gauges }: Known): string[] {
  return Object.values(shows).flatMap((expression) => {
    const where = `The panel "${title}" of "${dashboard}"`;
    if (RANGE_OF_NAMES.test(expression)) return [`${where} takes a rate of several names at once, which Prometheus refuses: ${expression}`];
    if (INCREASE_ALONE.test(expression)) return [`${where} does not see the first count of a series that is born meanwhile: ${expression}`];
    if (summedOverReplicas(expression).some((name) => gauges.has(name)))
      return [`${where} adds up what each replica reads by itself, mostly of the same rows: take the max: ${expression}`];
    const during = periodIn(title);
    if (during && !expression.includes(`[${during}]`)) return [`${where} shows another time than its title says: ${expression}`];
    if (!isPromql(expression)) return [`${where} has no expression of PromQL: ${expression}`];
    return seriesOf(expression)
      .filter((name) => !series.has(name))
      .map((name) => `${where} shows ${name}, which no app counts or measures.`);
  });
}

/** A rate of several names at once. A rate has no name, so two names with the same labels would become one series. */
const RANGE_OF_NAMES = /\b(?:rate|irate|increase|delta)\s*\(\s*\{\s*__name__=~/;

/** An `increase` that stands alone: it has to be combined with the series that did not exist before. */
const INCREASE_ALONE = /(?<! or )\bincrease\(/;

const summedOverReplicas = (expression: string): string[] =>
  [...expression.matchAll(/\bsum(?: by \(([^)]*)\))? \((\w+)/g)].filter(([, by = '']) => !/\bpod\b/.test(by)).map(([, , name]) => name!);

function periodIn(title: string): string | undefined {
  const [, hour, minutes] = /\bin (?:(an hour)|(\d+) minutes)\b/.exec(title) ?? [];
  return hour ? '1h' : minutes && `${minutes}m`;
}

/** Whether the expression is PromQL once a time stands in place of Grafana's own variable. */
function isPromql(expression: string): boolean {
  let isWhole = true;
  parser.parse(expression.replaceAll('$__rate_interval', '5m')).iterate({ enter: ({ type }) => void (isWhole &&= !type.isError) });
  return isWhole;
}

const PREFIXES = /\b(?:codase|http|v8js|nodejs|process)_\w+(?=[{|")[\s])/g;
const LABELS = /\b(?:by|without) \([^)]*\)/g;

/** Returns the names of series, which stand before braces or in a pattern. Labels stand in lists and before an operator. */
const seriesOf = (expression: string): string[] => [...new Set(expression.replaceAll(LABELS, '').match(PREFIXES) ?? [])];

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { nameWithUnit } from '@codase/runtime/telemetry';
import { sourceFiles } from '../command/source-files.ts';
import type { Program } from './programs.ts';

const ALERTS = 'deploy/observability/alerts';
const RUNBOOKS = 'deploy/runbooks';
const SECTIONS = ['## What it means', '## Where to look', '## How to mend it', '## Is it over?'];

export interface Alert {
  alert: string;
  expr: string;
  annotations: { summary?: string; runbook_url?: string };
}

const read = (root: string, file: string): unknown => parse(readFileSync(join(root, ALERTS, file), 'utf8'));

export const alertsIn = (root: string): Alert[] =>
  (read(root, 'codase.rules.yaml') as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules);

/** Returns a sentence for each alert whose series no app has, or that has no test or no runbook, and for each runbook without an alert. */
export function alertProblems(root: string, alerts = alertsIn(root), series = seriesIn(root)): string[] {
  const { tests } = read(root, 'codase.test.yaml') as { tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[] };
  const fired = new Set(
    tests
      .flatMap(({ alert_rule_test }) => alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0))
      .map(({ alertname }) => alertname),
  );
  const runbooks = readdirSync(join(root, RUNBOOKS)).map((file) => file.replace(/\.md$/, ''));
  return [
    ...alerts.flatMap(({ alert, expr, annotations }) => [
      ...unknownSeries(expr, series).map((name) => `The alert ${alert} asks for ${name}, which no app counts or measures.`),
      ...(fired.has(alert) ? [] : [`No test lets the alert ${alert} fire: ${ALERTS}/codase.test.yaml.`]),
      ...(annotations.runbook_url?.endsWith(`/${alert}`) ? [] : [`The alert ${alert} names no runbook of its own.`]),
      ...runbookProblems(root, alert),
    ]),
    ...runbooks.filter((name) => !alerts.some(({ alert }) => alert === name)).map((name) => `${RUNBOOKS}/${name}.md is of no alert.`),
  ];
}

function runbookProblems(root: string, alert: string): string[] {
  const file = join(root, RUNBOOKS, `${alert}.md`);
  if (!existsSync(file)) return [`The alert ${alert} has no runbook: write ${RUNBOOKS}/${alert}.md.`];
  const text = readFileSync(file, 'utf8');
  return SECTIONS.filter((section) => !text.includes(`${section}\n`)).map((section) => `${RUNBOOKS}/${alert}.md lacks "${section}".`);
}

const unknownSeries = (expr: string, series: ReadonlySet<string>): string[] =>
  [...new Set(expr.match(/\b(?:codase|http)_\w+/g) ?? [])].filter(
    (name) => !series.has(name) && !/^(codase_(base|caller|fault|region|service|outcome|state)|http_response_status_code)$/.test(name),
  );

/** Both forms of a declaration: by a function of `@codase/runtime/metrics`, and as an object. */
const DECLARED = [
  /(?<kind>counter|gauge|level|histogram)\(\s*'(?<name>[\w.]+)',\s*'(?<unit>[^']+)'/g,
  /name: '(?<name>[\w.]+)',\s*kind: '(?<kind>counter|gauge|level|histogram)',\s*unit: '(?<unit>[^']+)'/g,
];

/** Returns the names in Prometheus of what apps count. The client's have two: a company's exporter may or may not add the unit. */
export const seriesIn = (root: string): Set<string> =>
  new Set(declaredIn(root).flatMap(({ name, kind }) => seriesOf(name.replaceAll('.', '_'), kind)));

export const gaugesIn = (root: string): Set<string> =>
  new Set(declaredIn(root).flatMap(({ name, kind }) => (kind === 'gauge' ? [name.replaceAll('.', '_')] : [])));

function declaredIn(root: string): { name: string; kind: string }[] {
  const files = sourceFiles(root, ['apps', 'libs'], ['/metrics.ts']);
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const declared = DECLARED.flatMap((form) =>
      [...text.matchAll(form)].map(({ groups }) => groups as Record<'name' | 'kind' | 'unit', string>),
    );
    return declared.flatMap(({ name, kind, unit }) => [
      { name: nameWithUnit(name, unit), kind },
      ...(file.startsWith('libs/client/') ? [{ name, kind }] : []),
    ]);
  });
}

function seriesOf(name: string, kind: string): string[] {
  if (kind === 'counter') return [`${name}_total`];
  return kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
}

export async function promtoolProblems(root: string, promtool: Program): Promise<string[]> {
  const folder = join(root, ALERTS);
  const [rules, tests] = [
    await promtool.run(['check', 'rules', 'codase.rules.yaml'], folder),
    await promtool.run(['test', 'rules', 'codase.test.yaml'], folder),
  ];
  return [rules, tests].filter(({ ok }) => !ok).map(({ said }) => `promtool says:\n${said}`);
}

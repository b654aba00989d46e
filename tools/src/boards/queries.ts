import type { Panel } from './dashboard.ts';

/** The variables of a dashboard, which a reader chooses at its top. */
export const WHERE = '{namespace=~"$namespace",app=~"$app"}';
export const IN = '{namespace=~"$namespace"}';
export const rate = (series: string, by = '') => `sum${by && ` by (${by})`} (rate(${series}${WHERE}[$__rate_interval]))`;
/** The comparison with 0 leaves out series without a measurement in the interval, which would be NaN. */
const quantile = (share: number, histogram: string, by = '') =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${histogram}_bucket${WHERE}[$__rate_interval]))) >= 0`;
export const p99 = (histogram: string, by = '') => quantile(0.99, histogram, by);
/** How much counters grew. A series that is new in this time counts in full: `increase` alone does not see its first count. */
export const grown = (series: string, during: string, by = '') =>
  `sum${by && ` by (${by})`} ((${series} unless ${series} offset ${during}) or increase(${series}[${during}]))`;
/** Returns a selector of several names at once, with the labels of `where`. */
export const anyOf = (names: readonly string[], where: string) => `{__name__=~"${names.join('|')}",${where.slice(1)}`;
/** The names of a gauge of the client. A company exports it, by an exporter that ends the name with the unit or does not. */
export const BACKLOG_AGE = ['codase_client_backlog_age', 'codase_client_backlog_age_seconds'];
/** The rate of a histogram of the client, under both of its names: Prometheus takes no rate of several names at once. */
export const LAG_RATE = `rate(codase_client_lag_bucket${IN}[5m]) or rate(codase_client_lag_seconds_bucket${IN}[5m])`;
export const either = (expression: string) => `${expression} or vector(0)`;

type Lines = Readonly<Record<string, string>>;

export const OUTCOME = '{{codase_outcome}}';

export const line = (title: string, unit: string, says: string, shows: Lines): Panel => ({ title, unit, says, shows });

/** Makes an expression of each series. The labels that its legend names in braces are those by which it is summed. */
const queried = (lines: Lines, query: (series: string, by: string) => string): Lines =>
  Object.fromEntries(
    Object.entries(lines).map(([legend, series]) => {
      const labels = [...legend.matchAll(/{{(\w+)}}/g)].map(([, label]) => label);
      return [legend, query(series, labels.join(', '))];
    }),
  );

const over = (aggregate: 'max' | 'sum') => (series: string, by: string) => `${aggregate}${by && ` by (${by})`} (${series}${WHERE})`;

/** Panels of series: the rates of counters, the highest values and the sums of gauges. */
export const rates = (title: string, unit: string, says: string, counters: Lines) => line(title, unit, says, queried(counters, rate));
export const highest = (title: string, unit: string, says: string, gauges: Lines) => line(title, unit, says, queried(gauges, over('max')));
export const sums = (title: string, unit: string, says: string, gauges: Lines) => line(title, unit, says, queried(gauges, over('sum')));
/** Panels with a unit of their own: how much counters grew in an hour, and how long something took. */
export const hourly = (title: string, says: string, counters: Lines) =>
  line(
    title,
    'short',
    says,
    queried(counters, (series, by) => grown(`${series}${WHERE}`, '1h', by)),
  );
export const p99s = (title: string, says: string, histograms: Lines) => line(title, 's', says, queried(histograms, p99));
export const halfAndP99 = (title: string, says: string, histogram: string) =>
  line(title, 's', says, { half: quantile(0.5, histogram), '99 of 100': p99(histogram) });

import type { Panel } from './board.ts';

/** The variables of a board, which a reader chooses at its top. */
export const WHERE = '{namespace=~"$namespace",app=~"$app"}';
export const IN = '{namespace=~"$namespace"}';
export const rate = (series: string, by = '') => `sum${by && ` by (${by})`} (rate(${series}${WHERE}[$__rate_interval]))`;
/** The comparison with 0 leaves out series without a measurement in the interval, which would be NaN. */
export const quantile = (share: number, histogram: string, by = '') =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${histogram}_bucket${WHERE}[$__rate_interval]))) >= 0`;
export const p99 = (histogram: string, by: string) => quantile(0.99, histogram, by);
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

/** Returns a panel of lines over time. */
export const line = (title: string, unit: string, says: string, shows: Record<string, string>): Panel => ({ title, unit, says, shows });

import { metricsIn, problemOf, questionsOf } from './expressions.ts';

const panel = (expression: string) => ({ title: 'P', says: '', unit: 's', shows: { a: expression } });

describe('the Prometheus queries of the scrape check', () => {
  it('cover every panel with its variables filled in, every alert, and each series of an alert', () => {
    const dashboards = [{ uid: 'x', title: 'X', rows: { r: [panel('rate(a_total{app=~"$app"}[$__rate_interval])')] } }];
    const alerts = [{ alert: 'A', expr: 'sum by (b) (rate(c_total{d="e"}[5m])) > 0 unless f offset 10m', annotations: {} }];

    expect(questionsOf(dashboards, alerts, '2m').map(({ expression, mayBeEmpty }) => [expression, mayBeEmpty])).toEqual([
      ['rate(a_total{app=~".*"}[2m])', false],
      [alerts[0]!.expr, true],
      ['count(c_total)', false],
      ['count(f)', false],
    ]);
  });

  it('distinguish series from labels', () => {
    expect(metricsIn('sum by (namespace) ((a_total unless a_total offset 10m) or increase(b{c=~"5.."}[10m])) > 0')).toEqual([
      'a_total',
      'b',
    ]);
  });

  it('are correctly answered only by numbers', () => {
    const question = { asker: 'The panel', expression: 'x', mayBeEmpty: false };

    expect(problemOf(question, { values: [0, 1] })).toBeUndefined();
    expect(problemOf(question, { values: [0, NaN] })).toBe('The panel shows what is no number (NaN): x');
    expect(problemOf(question, { values: [] })).toBe('The panel finds no series: x');
    expect(problemOf({ ...question, mayBeEmpty: true }, { values: [] })).toBeUndefined();
    expect(problemOf(question, { error: 'parse error' })).toBe('The panel is refused by Prometheus: parse error: x');
  });
});

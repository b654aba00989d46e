import { ROOT } from '../command/root.ts';
import type { DashboardPlan } from './dashboard.ts';
import { dashboardProblems } from './dashboard-problems.ts';

const dashboard = (expression: string, title = 'P'): DashboardPlan => ({
  uid: 'x',
  title: 'X',
  rows: { r: [{ title, says: '', unit: 's', shows: { a: expression } }] },
});

describe('the check of the dashboards', () => {
  it('accepts all dashboards of the repository, with files that are up to date', () => expect(dashboardProblems(ROOT)).toEqual([]));

  it.each([
    [
      'sum by (codase_region) (rate(codase_gone_total{app=~"a"}[$__rate_interval]))',
      'shows codase_gone_total, which no app counts or measures',
    ],
    ['max ({__name__=~"codase_gone|codase_gone_total"})', 'shows codase_gone, which no app counts or measures'],
    ['sum (increase({__name__=~"codase_ready|codase_unexpected_total"}[5m]))', 'takes a rate of several names at once'],
    ['sum (increase(codase_unexpected_total[5m]))', 'does not see the first count of a series that is born meanwhile'],
    ['sum by (app) (codase_twofa_pending{app=~"a"})', 'adds up what each replica reads by itself'],
    ['sum by (rate(codase_ready[5m])', 'has no expression of PromQL'],
  ])('refuses %s', (expression, problem) =>
    expect(dashboardProblems(ROOT, [dashboard(expression)])).toContainEqual(expect.stringContaining(problem)),
  );

  it('refuses a panel whose title states another time range than its expression', () => {
    const problems = (title: string) => dashboardProblems(ROOT, [dashboard('max_over_time(codase_ready[15m])', title)]);

    expect(problems('Ready in an hour')).toContainEqual(expect.stringContaining('shows another time than its title says'));
    expect(problems('Ready in 15 minutes')).toEqual([]);
  });
});

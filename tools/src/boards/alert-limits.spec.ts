import { Config } from '@cds/feed-consumer';
import { ROOT } from '../command/root.ts';
import { alertsIn } from '../deploy-check/alert-problems.ts';

describe('the alert of a spool that fills up', () => {
  it('comes at three quarters of what may wait where nothing is set', () => {
    const { expr } = alertsIn(ROOT).find(({ alert }) => alert === 'CdsFeedSpoolNearlyFull')!;

    expect(expr.trim()).toMatch(new RegExp(` > 0\\.75 \\* ${Config.shape.SPOOL_MAX_BYTES.parse(undefined)}$`));
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Costs } from '@codase/bench/capacity';
import { ROOT } from '../command/root.ts';
import { errorsOf } from './model.ts';
import { CAPACITY_PAGE, capacityText, COSTS_FILE } from './page.ts';

describe('the capacity page', () => {
  const costs = Costs.parse(JSON.parse(readFileSync(join(ROOT, COSTS_FILE), 'utf8')));

  it('matches the measured costs (to update: npm run capacity -- --write)', () => {
    expect(readFileSync(join(ROOT, CAPACITY_PAGE), 'utf8')).toBe(capacityText(costs));
  });

  it('uses costs that predicted a measured run within 20 percent', () => {
    for (const { error } of errorsOf(costs.check)) expect(Math.abs(error)).toBeLessThanOrEqual(0.2);
  });
});

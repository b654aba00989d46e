import type { Clock } from '@cds/runtime/clock';
import { configuredDatabase, databaseAnswers } from '@cds/runtime/db';
import { startService, type RunningService } from '@cds/runtime/service';
import type { Config } from './config.ts';
import { TwofaModule } from './twofa.module.ts';

export { Config } from './config.ts';

/** Asks persons to approve the company's own logins, and remembers what they said. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'twofa',
    config,
    ...options,
    async build() {
      const db = await configuredDatabase(config, 'twofa');
      return { module: TwofaModule, checks: { postgres: databaseAnswers(db) }, close: () => db.destroy() };
    },
  });

import type { Clock } from '@cds/runtime/clock';
import { configuredDatabase, databaseAnswers } from '@cds/runtime/db';
import { startService, type RunningService } from '@cds/runtime/service';
import type { Config } from './config.ts';
import { FlowsModule } from './flows.module.ts';

export { Config } from './config.ts';

/** Plays the company's turns of contract flows. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'flows',
    config,
    ...options,
    async build({ log }) {
      const db = await configuredDatabase(config, 'flows');
      return { module: FlowsModule, checks: { postgres: databaseAnswers(db, log) }, close: () => db.destroy() };
    },
  });

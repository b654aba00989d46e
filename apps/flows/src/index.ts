import type { Clock } from '@cds/runtime/clock';
import { configuredDatabase, databaseAnswers, schemaIsCurrent } from '@cds/runtime/db';
import { startService, type RunningService } from '@cds/runtime/service';
import type { Config } from './config.ts';
import { FlowsModule } from './flows.module.ts';
import { FLOWS_MIGRATIONS } from './migrations/index.ts';

export { Config } from './config.ts';
export { FLOWS_MIGRATIONS } from './migrations/index.ts';
export { migrateFlows } from './operator/prepare.service.ts';

/** Plays the company's turns of contract flows. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'flows',
    config,
    ...options,
    async build({ waitFor, log }) {
      const db = await configuredDatabase(config, 'flows');
      await waitFor('schema', schemaIsCurrent(db, FLOWS_MIGRATIONS));
      return { module: FlowsModule, checks: { postgres: databaseAnswers(db, log) }, close: () => db.destroy() };
    },
  });

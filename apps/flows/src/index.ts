import type { Clock } from '@cds/runtime/clock';
import { configuredDatabase, databaseAnswers, schemaIsCurrent } from '@cds/runtime/db';
import { PublishHealth, startService, type RunningService } from '@cds/runtime/service';
import { DataSource } from 'typeorm';
import { gatewayOf, GATEWAY, type Config } from './config.ts';
import { FlowsModule } from './flows.module.ts';
import { METRICS } from './metrics.ts';
import { FLOWS_MIGRATIONS } from './migrations/index.ts';
import { Settings, SETTINGS } from './settings.ts';

export { Config } from './config.ts';
export { FLOWS_MIGRATIONS } from './migrations/index.ts';
export { migrateFlows, prepareTurns } from './operator/prepare.service.ts';

/** Starts runs of contract flows for a company's own services, and plays the company's turns. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'flows',
    config,
    ...options,
    async build({ waitFor, log }) {
      const db = await configuredDatabase(config, 'flows');
      await waitFor('schema', schemaIsCurrent(db, FLOWS_MIGRATIONS));
      const health = new PublishHealth('events of turns');
      const providers = [
        { provide: DataSource, useValue: db },
        { provide: SETTINGS, useValue: new Settings(config.SERVICES, config.POLL_SECONDS) },
        { provide: GATEWAY, useValue: gatewayOf(config) },
        { provide: PublishHealth, useValue: health },
      ];
      return {
        module: FlowsModule,
        metrics: METRICS,
        providers,
        checks: { postgres: databaseAnswers(db, log), turns: () => health.note() },
        close: () => db.destroy(),
      };
    },
  });

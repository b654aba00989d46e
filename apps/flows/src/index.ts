import type { Clock } from '@codase/runtime/clock';
import { configuredDatabase, databaseAnswers, schemaIsCurrent } from '@codase/runtime/db';
import { PublishHealth, startService, type RunningService } from '@codase/runtime/service';
import { DataSource } from 'typeorm';
import { gatewayOf, GATEWAY, KEY_LOG, keyLogOf, type Config } from './config.ts';
import { FlowsModule } from './flows.module.ts';
import { METRICS } from './metrics.ts';
import { FLOWS_MIGRATIONS } from './migrations/index.ts';
import { CREATE_REPLY_KEY, type CreateReplyKey } from './plugins/plugin-questions.service.ts';
import { Settings, SETTINGS } from './settings.ts';
import { RunStartEntity } from './starts/run-start.entity.ts';
import { RunEntity, TurnEventEntity } from './turns/run.entity.ts';

export { Config } from './config.ts';
export { FLOWS_MIGRATIONS } from './migrations/index.ts';
export { migrateFlows, prepareTurns } from './operator/prepare.service.ts';

/** The tables of the database. */
export const FLOWS_ENTITIES = [RunStartEntity, RunEntity, TurnEventEntity];

export interface FlowsOptions {
  clock?: Clock;
  /** Creates the reply key of a question to a plugin. Tests pass prepared keys, because creating one takes half a second of CPU. */
  createReplyKey?: CreateReplyKey;
}

/** Starts runs of contract flows for a company's own services, and plays the company's turns. */
export const start = (config: Config, { createReplyKey, ...options }: FlowsOptions = {}): Promise<RunningService> =>
  startService({
    name: 'flows',
    config,
    ...options,
    async build({ waitFor, log }) {
      const db = await configuredDatabase(config, 'flows', FLOWS_ENTITIES);
      await waitFor('schema', schemaIsCurrent(db, FLOWS_MIGRATIONS));
      const health = new PublishHealth('events of turns');
      const providers = [
        { provide: DataSource, useValue: db },
        { provide: SETTINGS, useValue: new Settings(config.SERVICES, config.POLL_SECONDS) },
        { provide: GATEWAY, useValue: gatewayOf(config) },
        { provide: KEY_LOG, useValue: keyLogOf(config) },
        { provide: PublishHealth, useValue: health },
        ...(createReplyKey ? [{ provide: CREATE_REPLY_KEY, useValue: createReplyKey }] : []),
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

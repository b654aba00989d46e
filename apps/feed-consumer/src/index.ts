import type { Clock } from '@cds/runtime/clock';
import { configuredDatabase, databaseAnswers } from '@cds/runtime/db';
import { startService, type RunningService } from '@cds/runtime/service';
import type { Config } from './config.ts';
import { FeedConsumerModule } from './feed-consumer.module.ts';

export { Config } from './config.ts';

/** Takes a service's events from the platform, by drain or by webhook, and publishes them on the bus. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'feed-consumer',
    config,
    ...options,
    async build() {
      const db = await configuredDatabase(config, 'feed-consumer');
      return { module: FeedConsumerModule, checks: { postgres: databaseAnswers(db) }, close: () => db.destroy() };
    },
  });

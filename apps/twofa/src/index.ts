import type { Clock } from '@codase/runtime/clock';
import { configuredDatabase, databaseAnswers, schemaIsCurrent } from '@codase/runtime/db';
import { PublishHealth, startService, type RunningService } from '@codase/runtime/service';
import { DataSource } from 'typeorm';
import type { Config } from './config.ts';
import { METRICS } from './metrics.ts';
import { TWOFA_MIGRATIONS } from './migrations/index.ts';
import { TwofaModule } from './twofa.module.ts';
import { ChallengeEntity } from './challenges/challenge.entity.ts';

export { Config } from './config.ts';
export { TWOFA_MIGRATIONS } from './migrations/index.ts';
export { platformKey } from './challenges/request-keys.ts';
export { migrateTwofa, prepareChallenges } from './operator/prepare.service.ts';

/** The tables of the database. */
export const TWOFA_ENTITIES = [ChallengeEntity];

/** Starts twofa, which asks persons to approve the logins of a company's own systems, and keeps their answers. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'twofa',
    config,
    ...options,
    async build({ waitFor, log }) {
      const db = await configuredDatabase(config, 'twofa', TWOFA_ENTITIES);
      await waitFor('schema', schemaIsCurrent(db, TWOFA_MIGRATIONS));
      const health = new PublishHealth('outcomes');
      const providers = [
        { provide: DataSource, useValue: db },
        { provide: PublishHealth, useValue: health },
      ];
      return {
        module: TwofaModule,
        metrics: METRICS,
        providers,
        checks: { postgres: databaseAnswers(db, log), outcomes: () => health.note() },
        close: () => db.destroy(),
      };
    },
  });

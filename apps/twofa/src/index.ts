import type { Clock } from '@codase/runtime/clock';
import { databaseConfig, serviceConfig } from '@codase/runtime/config';
import { configuredDatabase, databaseAnswers, schemaIsCurrent } from '@codase/runtime/db';
import { PublishHealth, startService, type RunningService } from '@codase/runtime/service';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { METRICS } from './metrics.ts';
import { TWOFA_MIGRATIONS } from './migrations/index.ts';
import { TwofaModule } from './twofa.module.ts';
import { ChallengeEntity } from './challenges/challenge.entity.ts';

export { TWOFA_MIGRATIONS } from './migrations/index.ts';
export { platformKey } from './challenges/request-keys.ts';
export { migrateTwofa, prepareChallenges } from './operator/prepare.service.ts';

export const Config = serviceConfig.extend(databaseConfig.shape);
export type Config = z.infer<typeof Config>;

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

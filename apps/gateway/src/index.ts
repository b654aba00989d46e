import type { Clock } from '@cds/runtime/clock';
import { startService, type RunningService } from '@cds/runtime/service';
import { FRONT_DOOR_URL, SERVICES, type Config } from './config.ts';
import { GatewayModule } from './gateway.module.ts';

export { Config } from './config.ts';

/** The one way out to the platform: it holds the credentials, the tokens and the way to each service's home region. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'gateway',
    config,
    ...options,
    build: async () => ({
      module: GatewayModule,
      given: [{ provide: SERVICES, useValue: config.SERVICES }, { provide: FRONT_DOOR_URL, useValue: config.FRONT_DOOR_URL }],
    }),
  });

import type { Clock } from '@cds/runtime/clock';
import { startService, type RunningService } from '@cds/runtime/service';
import { SETTINGS, settingsOf, type Config } from './config.ts';
import { GatewayModule } from './gateway.module.ts';
import { BasesService } from './routing/bases.service.ts';

export { Config } from './config.ts';

/** The one way out to the platform: it holds the credentials, the tokens and the way to each client's home region. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'gateway',
    config,
    ...options,
    build: async () => {
      const bases = new BasesService();
      return {
        module: GatewayModule,
        providers: [
          { provide: SETTINGS, useValue: settingsOf(config) },
          { provide: BasesService, useValue: bases },
        ],
        checks: { platform: () => (bases.unreachable.length === 0 ? null : { note: `not reachable: ${bases.unreachable.join(', ')}` }) },
      };
    },
  });

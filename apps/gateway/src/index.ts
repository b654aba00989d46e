import { asyncapi } from '@codase/runtime/asyncapi';
import type { Clock } from '@codase/runtime/clock';
import { httpServerOptions } from '@codase/runtime/http';
import { startService, type RunningService } from '@codase/runtime/service';
import { SETTINGS, settingsOf, type Config } from './config.ts';
import { GatewayModule } from './gateway.module.ts';
import { METRICS } from './metrics.ts';
import { BasesService } from './routing/bases.service.ts';

export { Config } from './config.ts';
export { ApiHosts } from './routing/api-hosts.ts';

/** Files may take long. How long a call may wait is said by its caller, and bounded by its deadline. */
const TIMEOUTS = { requestMs: 300_000, idleMs: 0 };

/** Starts the gateway, the one way out to the platform: it holds the credentials, the tokens and the home region of each client. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({
    name: 'gateway',
    config,
    ...options,
    build: async () => {
      const [settings, bases] = [settingsOf(config), new BasesService()];
      return {
        module: GatewayModule,
        metrics: METRICS,
        labels: { 'codase.service': [...settings.clients.keys()] },
        providers: [
          { provide: SETTINGS, useValue: settings },
          { provide: BasesService, useValue: bases },
        ],
        ...(settings.http && { listen: { ...settings.http, ...httpServerOptions(config, TIMEOUTS) } }),
        documents: { '/asyncapi.json': asyncapi },
        checks: { platform: () => (bases.unreachable.length === 0 ? null : { note: `not reachable: ${bases.unreachable.join(', ')}` }) },
      };
    },
  });

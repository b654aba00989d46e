import type { Clock } from '@cds/runtime/clock';
import { startService, type RunningService } from '@cds/runtime/service';
import type { Config } from './config.ts';
import { DecryptorModule } from './decryptor.module.ts';

export { Config } from './config.ts';

/** The only holder of private keys. It has no database and, but for its probes, no HTTP. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({ name: 'decryptor', config, ...options, build: async () => ({ module: DecryptorModule }) });

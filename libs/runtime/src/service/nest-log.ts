import type { LoggerService } from '@nestjs/common';
import type { Log } from '../telemetry/index.ts';

/** Nest's own words, as log lines. Its start-up chatter is not for operators. */
export const nestLog = (log: Log): LoggerService => ({
  log: () => {},
  warn: () => log.warn('framework warning'),
  error: (error: unknown) => log.error('framework error', { error }),
});

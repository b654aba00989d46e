import type { LoggerService } from '@nestjs/common';
import type { Log } from '../telemetry/index.ts';

/** Writes Nest's warnings and errors as lines of the log. Its messages at the start are left out: they are not for operators. */
export const nestLog = (log: Log): LoggerService => ({
  log: () => {},
  warn: () => log.warn('framework warning'),
  error: (error: unknown) => log.error('framework error', { error }),
});

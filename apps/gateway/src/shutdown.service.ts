import { Inject, Injectable } from '@nestjs/common';
import { SHUTDOWN } from '@codase/runtime/service';
import { LimitsService } from './limits/limits.service.ts';
import { RetryingCaller } from './routing/retrying-caller.service.ts';

/**
 * Refuses queued callers with 503 as soon as the gateway shuts down: the shutdown waits for the requests in hand, and a queue may be long.
 */
@Injectable()
export class ShutdownService {
  constructor(@Inject(SHUTDOWN) shutdown: AbortSignal, limits: LimitsService, caller: RetryingCaller) {
    shutdown.addEventListener('abort', () => {
      limits.beforeApplicationShutdown();
      caller.beforeApplicationShutdown();
    });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { SHUTDOWN } from '@cds/runtime/service';
import { LimitsService } from './limits/limits.service.ts';
import { RetryingCaller } from './routing/retrying-caller.service.ts';

/** Queued callers get 503 as soon as the gateway shuts down: the requests in hand are waited for, and a queue may be long. */
@Injectable()
export class ShutdownService {
  constructor(@Inject(SHUTDOWN) shutdown: AbortSignal, limits: LimitsService, caller: RetryingCaller) {
    shutdown.addEventListener('abort', () => {
      limits.beforeApplicationShutdown();
      caller.beforeApplicationShutdown();
    });
  }
}

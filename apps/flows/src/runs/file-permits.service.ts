import { Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { FairSemaphore } from '@codase/runtime/resilience';

/**
 * One start of a run stages its files at a time, or one generation sends a file: a file is in memory as a whole, several times over. The
 * others queue, the services in turns. They are refused before the callers that start runs give up.
 */
const ONE = { total: 1, queuedEach: 50, waitMs: 20_000 };
const tooMany = () => new Refusal('service.overloaded').because('Too many files of runs are in work now: repeat it in a moment');

/** The permits to have a file of a run in memory. */
@Injectable()
export class FilePermits extends FairSemaphore {
  constructor() {
    super(ONE, tooMany);
  }
}

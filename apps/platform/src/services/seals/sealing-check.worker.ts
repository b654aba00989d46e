import { Inject, Injectable } from '@nestjs/common';
import { IdentityFault } from '@codase/pdf';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { PlatformSeal } from './platform-seal.service.ts';
import { SEAL_SETTINGS, type SealSettings } from './seal-settings.service.ts';
import { SealingState } from './sealing-state.ts';

const EVERY_MS = 1000;
/** How many rounds pass between two checks while sealing works: an hour. */
const ROUNDS = 3600;
/** How many rounds pass between two checks while the timestamp authority does not stamp: a minute. */
const TIMESTAMP_ROUNDS = 60;
/** How many rounds pass after a failed check: first few, as the front door may start a moment later, then ten seconds. */
const [SOON, LATER] = [{ rounds: 2, tries: 5 }, { rounds: 10 }];

/** Checks sealing until it works, and regularly afterwards. Without seals nothing can be signed: the region is not ready then. */
@Injectable()
export class SealingCheck extends PeriodicWorker {
  private pause = 0;
  private failures = 0;

  constructor(
    private readonly seal: PlatformSeal,
    private readonly state: SealingState,
    @Inject(SEAL_SETTINGS) private readonly settings: SealSettings,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'sealing_check', everyMs: EVERY_MS, failure: 'PDFs cannot be sealed' }, log);
  }

  async round(): Promise<void> {
    if (this.settings.check === 'never' || --this.pause > 0) return;
    try {
      await this.seal.check();
      this.state.problem = null;
      this.failures = 0;
      this.pause = (await this.seal.checkTimestamps()) ? ROUNDS : TIMESTAMP_ROUNDS;
    } catch (error) {
      this.pause = (this.failures += 1) > SOON.tries ? LATER.rounds : SOON.rounds;
      this.state.problem = error instanceof IdentityFault ? error.message : 'a PDF could not be sealed: see the log';
      throw error;
    }
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { LOG, read, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { FactorKeysState } from './factor-keys-state.ts';
import { FactorSecrets } from './factor-secrets.service.ts';
import { METRICS } from './metrics.ts';
import { SecondFactorsStore } from './second-factors.store.ts';

const [WHILE_SOME_DO_NOT_OPEN_MS, OTHERWISE_MS] = [30_000, 600_000];

/**
 * Checks that the keys of this front door open the stored second factors: when it has started, and regularly afterwards. Users whose second
 * factor does not open cannot sign in. A front door that opens none is not ready, so that a wrong key does not replace the right one
 * everywhere.
 */
@Injectable()
export class FactorKeysCheck extends PeriodicWorker {
  constructor(
    private readonly factors: SecondFactorsStore,
    private readonly secrets: FactorSecrets,
    private readonly state: FactorKeysState,
    @Inject(LOG) log: Log,
  ) {
    super(
      {
        name: 'second_factor_keys',
        everyMs: WHILE_SOME_DO_NOT_OPEN_MS,
        idleMs: OTHERWISE_MS,
        failure: 'the keys of second factors could not be checked',
      },
      log,
    );
  }

  /** Returns whether some do not open, so that the next check comes soon. */
  async round(): Promise<boolean> {
    const samples = await this.factors.oneOfEachKey();
    const unreadable = sumOf(samples.filter((sample) => !this.secrets.isReadable(sample)));
    read(METRICS.unreadable, unreadable);
    this.state.note(sumOf(samples), unreadable);
    return unreadable > 0;
  }
}

const sumOf = (samples: readonly { sealed: number }[]): number => samples.reduce((sum, { sealed }) => sum + sealed, 0);

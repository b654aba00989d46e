import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { Module } from '@nestjs/common';
import type { Clock } from '@codase/runtime/clock';
import { startService, type ServiceContext, type RunningService, type ServiceParts } from '@codase/runtime/service';
import { count, raise, read, type Log } from '@codase/runtime/telemetry';
import { CALLERS, FIELD_TYPES, foldersOf, queueOf, typesOf, type Config } from './config.ts';
import { KeyFolder } from './keyring/key-folder.store.ts';
import { Keyring } from './keyring/keyring.service.ts';
import { CallerRates } from './open/caller-rates.ts';
import { ACCOUNT, limitOf } from './open/callers.ts';
import { OpenBus } from './open/open.bus.ts';
import { OpenService } from './open/open.service.ts';
import { OpeningThreads } from './open/opening-thread.service.ts';
import { Workload } from './open/workload.ts';
import { METRICS } from './metrics.ts';

export { Config } from './config.ts';
export { OpeningThreads } from './open/opening-thread.service.ts';

@Module({ controllers: [OpenBus], providers: [OpenService] })
class DecryptorModule {}

/** How many characters of sealed values may be under way at once, so that a few long values count as much as many short ones. */
const QUEUE_CHARS = 64 * 1024 * 1024;

/** Starts the decryptor, the only holder of private keys. It has no database and, except for its probes, no HTTP. */
export const start = (config: Config, options: { clock?: Clock; log?: Log } = {}): Promise<RunningService> =>
  startService({ name: 'decryptor', config, ...options, build: (context) => build(config, context) });

async function build(config: Config, { log }: ServiceContext): Promise<ServiceParts> {
  const cores = config.OPEN_THREADS ?? availableParallelism();
  const threads = new OpeningThreads(cores);
  const keyring = await Keyring.open({ folder: new KeyFolder(foldersOf(config)), pollSeconds: config.KEYS_POLL_SECONDS, threads, log });
  const workload = new Workload({ values: queueOf(config, cores), chars: QUEUE_CHARS }, (values) => raise(METRICS.openQueue, values));
  read(METRICS.openLimit, queueOf(config, cores));
  return {
    module: DecryptorModule,
    metrics: METRICS,
    labels: { 'codase.caller': Object.keys(config.CALLERS), 'codase.service': servicesOf(config) },
    providers: [
      { provide: Keyring, useValue: keyring },
      { provide: OpeningThreads, useValue: threads },
      { provide: Workload, useValue: workload },
      { provide: CallerRates, useValue: callerRates(config, log) },
      { provide: CALLERS, useValue: config.CALLERS },
      { provide: FIELD_TYPES, useValue: typesOf(config) },
    ],
    checks: { keys: () => keyring.check(), passphrases: () => passphrasesApart(config) },
    close: async () => {
      await keyring.close();
      await threads.close();
    },
  };
}

/** The services of which some caller may have something opened, and the account. */
const servicesOf = ({ CALLERS: callers }: Config): string[] => [
  ...new Set(Object.values(callers).flatMap(({ values, payloads, account }) => [...values, ...payloads, ...(account ? [ACCOUNT] : [])])),
];

/** Alerts the operator when a caller opens values in bulk. The log line and the counter keep these names for good. */
const callerRates = ({ BULK_VALUES_PER_MINUTE, CALLERS: callers }: Config, log: Log) =>
  new CallerRates({ bulk: BULK_VALUES_PER_MINUTE, limitOf: (caller) => limitOf(callers, caller) }, (caller, values) => {
    count(METRICS.bulkOpened, { 'codase.caller': caller });
    log.warn('a caller opens values in bulk', { 'codase.caller': caller, 'codase.count': values });
  });

const passphrasesApart = (config: Config) => {
  const { pems, passphrases } = foldersOf(config);
  return resolve(pems) === resolve(passphrases)
    ? { note: 'the passphrases lie beside the keys they open: mount them apart and name the folder in PASSPHRASES_DIR' }
    : null;
};

import type { Log } from '@codase/runtime/telemetry';

interface Parts {
  log: Log;
  service: string;
}

/** Runs a callback of the service. Logs its failure and does not throw it: a rejection that nobody awaits would end the process. */
export async function runCallback({ log, service }: Parts, failure: string, callback: () => unknown): Promise<void> {
  try {
    await callback();
  } catch (error) {
    log.error(failure, { 'codase.service': service, error });
  }
}

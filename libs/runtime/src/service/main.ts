import type { z } from 'zod';
import { readConfig } from '../config/index.ts';
import { openLog } from '../telemetry/index.ts';
import { sentence } from './sentence.ts';
import { flushTelemetry } from './start-service.ts';

interface Closable {
  /** Lets callers go elsewhere, for at most `withinMs`. */
  drain?(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** The part of the shutdown time that a service may take until no more requests come to it. */
const DRAIN_SHARE = 1 / 2;

/**
 * The body of every main.ts. It reads the configuration, starts the service, reports to a parent process that it is ready, and shuts down
 * in order on SIGTERM, SIGINT or when the parent is gone. Faults are sentences on standard error and exit code 1.
 */
export async function main<S extends z.ZodObject>(
  name: string,
  schema: S,
  start: (config: z.output<S>) => Promise<Closable>,
): Promise<void> {
  try {
    const config = readConfig(schema);
    const service = await start(config);
    leaveOnSignal(name, service, Number((config as { SHUTDOWN_SECONDS?: number }).SHUTDOWN_SECONDS ?? 10));
    if (process.connected) process.send?.('ready');
  } catch (error) {
    console.error(`${name} did not start. ${sentence(error)}`);
    process.exit(1);
  }
}

const PARENT_GONE = 'parent gone';

function leaveOnSignal(name: string, service: Closable, seconds: number): void {
  const log = openLog(name);
  let leaving = false;
  const leave = async (why: string) => {
    if (leaving) return;
    leaving = true;
    log.info('leaving', { 'codase.signal': why });
    setTimeout(() => {
      log.error('work did not finish in time, leaving anyway');
      process.exit(1);
    }, seconds * 1000).unref();
    if (why !== PARENT_GONE) await service.drain?.(seconds * 1000 * DRAIN_SHARE);
    await service.close();
    await flushTelemetry();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void leave(signal));
  // When a supervisor dies, its services end too: no process is left running that nobody watches.
  if (!process.send) return;
  process.on('disconnect', () => void leave(PARENT_GONE));
  if (!process.connected) void leave(PARENT_GONE);
}

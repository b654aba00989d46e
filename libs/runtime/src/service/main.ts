import type { z } from 'zod';
import { readConfig } from '../config/index.ts';
import { OperatorFault } from '../operator-fault.ts';
import { describeError, openLog } from '../telemetry/index.ts';
import { flushTelemetry } from './start-service.ts';

interface Closable {
  close(): Promise<void>;
}

/**
 * The body of every main.ts: read the configuration, start, say so to a parent process, and leave in order on SIGTERM,
 * SIGINT or when the parent is gone. Faults are sentences on standard error and exit code 1.
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

function leaveOnSignal(name: string, service: Closable, seconds: number): void {
  const log = openLog(name);
  let leaving = false;
  const leave = async (why: string) => {
    if (leaving) return;
    leaving = true;
    log.info('leaving', { 'cds.signal': why });
    setTimeout(() => {
      log.error('work did not finish in time, leaving anyway');
      process.exit(1);
    }, seconds * 1000).unref();
    await service.close();
    await flushTelemetry();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void leave(signal));
  // A supervisor that dies takes its services with it: nothing is left running that nobody watches.
  if (!process.send) return;
  process.on('disconnect', () => void leave('parent gone'));
  if (!process.connected) void leave('parent gone');
}

interface SystemError {
  code?: string;
  address?: string;
  port?: number;
}

/** Clients wrap what the system said; the innermost error with a code is the one that tells. */
function systemError(error: unknown): SystemError {
  const { code, address, port, cause } = (error ?? {}) as SystemError & { cause?: unknown };
  const inner = cause instanceof Error ? systemError(cause) : {};
  return inner.code ? inner : { ...(code && { code }), ...(address && { address }), ...(port && { port }) };
}

/** What an operator can act on. The messages of our faults and of the operating system are safe to show. */
function sentence(error: unknown): string {
  if (error instanceof OperatorFault) return error.message;
  const { code, address, port } = systemError(error);
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken: stop what listens there, or choose another port.`;
  if (code === 'ECONNREFUSED')
    return (
      `Nothing listens at ${address ?? 'the address of NATS or Postgres'}${port ? `:${port}` : ''}: is it running, and is the URL ` +
      'right?'
    );
  if (code === '28P01' || code === '28000') return 'Postgres refused the user or password: check DATABASE_URL and DATABASE_PASSWORD.';
  if (code === '3D000') return 'The database does not exist: create it and run the migrations first.';
  if (/authorization/i.test(String((error as Error)?.name) + String((error as Error)?.message)))
    return 'NATS refused the user or password: check NATS_USER and NATS_PASSWORD.';
  const { frames, ...rest } = describeError(error);
  const message = rest['error.message'];
  return `${rest['error.type']}${rest.code ? ` (${rest.code})` : ''}${message ? `: ${message}` : ''}\n${
    frames
      ?.slice(0, 5)
      .map((frame) => `  ${frame}`)
      .join('\n') ?? ''
  }`;
}

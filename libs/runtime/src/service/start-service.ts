import { NestFactory } from '@nestjs/core';
import { Module, type INestApplicationContext, type Provider, type Type } from '@nestjs/common';
import { STATUS } from '@cds/contracts';
import { Bus } from '../bus/index.ts';
import { followClock, systemClock, type Clock } from '../clock/index.ts';
import { ConfigFault, type ServiceConfig } from '../config/index.ts';
import { openDoor, openRoutes, Refusals, type DoorOptions } from '../http/index.ts';
import { openLog, telemetry, type Log } from '../telemetry/index.ts';
import { Ground } from './ground.ts';
import { readiness, type Check } from './health.ts';
import { nestLog } from './nest-log.ts';
import { openOpsServer } from './ops-server.ts';

/** What a service is given before it builds its module. */
export interface Footing {
  bus: Bus;
  clock: Clock;
  log: Log;
}

export interface ServiceParts {
  module: Type;
  /** Values every part of the module may inject: databases, keys, addresses. */
  given?: readonly Provider[];
  /** Where callers come in over HTTP; absent for a service that lives on the bus alone. */
  listen?: { host: string; port: number } & DoorOptions;
  checks?: Record<string, Check>;
  /** Closed last, after the work that uses it. */
  close?(): Promise<void>;
}

export interface ServiceOptions {
  name: string;
  config: ServiceConfig;
  /** A test may bring its own; otherwise the configuration decides. */
  clock?: Clock;
  log?: Log;
  build(footing: Footing): Promise<ServiceParts>;
}

export interface RunningService {
  name: string;
  /** The HTTP base, for a service that has one. */
  url?: string;
  opsUrl: string;
  app: INestApplicationContext;
  bus: Bus;
  /** Finishes what is in flight, drains the bus, then leaves. */
  close(): Promise<void>;
}

/** Brings a service up in order; if a step fails, what already stands is taken down again. */
export async function startService({ name, config, clock: given, log = openLog(name), build }: ServiceOptions): Promise<RunningService> {
  refuseMovedClock(config);
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of opened.toReversed()) await close().catch((error: unknown) => log.error('closing failed', { error }));
    opened.length = 0;
  };
  try {
    const bus = await Bus.connect({
      url: config.NATS_URL,
      user: config.NATS_USER,
      password: config.NATS_PASSWORD,
      connectSeconds: config.CONNECT_SECONDS,
      name,
      log,
    });
    opened.push(() => bus.close());
    const clock = given ?? (config.CLOCK === 'followed' ? await followClock(bus) : systemClock);
    const parts = await build({ bus, clock, log });
    if (parts.close) opened.push(parts.close);

    let leaving = false;
    const checks: Record<string, Check> = {
      service: () => (leaving ? 'shutting down' : null),
      nats: () => (bus.isConnected ? null : 'not connected'),
      ...parts.checks,
    };
    const ops = await openOpsServer({ host: config.OPS_HOST, port: config.OPS_PORT, readiness: () => readiness(checks) });
    opened.push(() => ops.close());

    const root = rootOf(parts, { bus, clock, log });
    const app = await NestFactory.createApplicationContext(root, { logger: nestLog(log), abortOnError: false });
    opened.push(() => app.close());
    const url = parts.listen && (await openHttp(app, parts.listen, log, opened));
    const started_at = new Date().toISOString();
    await bus.answer(STATUS, { name }, async () => ({ name, ...(await readiness(checks)), started_at }));

    log.info('ready', { 'cds.url': url ?? ops.url });
    return {
      name,
      opsUrl: ops.url,
      app,
      bus,
      ...(url && { url }),
      close: async () => {
        leaving = true;
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Runs at the end of a process, after every service in it has closed. */
export const flushTelemetry = (): Promise<void> => telemetry.flush();

function rootOf({ module, given = [] }: ServiceParts, footing: Footing): Type {
  @Module({ imports: [Ground.of(footing, given), module] })
  class Root {}
  return Root;
}

/** Callers come in when everything behind the door stands, and are out before any of it is taken down. Answers where they come in. */
async function openHttp(
  app: INestApplicationContext,
  { host, port, ...options }: NonNullable<ServiceParts['listen']>,
  log: Log,
  opened: (() => Promise<void>)[],
): Promise<string> {
  const door = openDoor(log, options);
  openRoutes(app, door, new Refusals(log));
  opened.push(() => door.close());
  return door.listen({ host, port });
}

function refuseMovedClock({ CLOCK, NODE_ENV }: ServiceConfig): void {
  if (CLOCK === 'followed' && NODE_ENV === 'production')
    throw new ConfigFault(['CLOCK: followed is for development; production keeps the system clock (or set NODE_ENV=development)']);
}

import { setTimeout as pause } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { Module, type INestApplicationContext, type Provider, type Type, type LoggerService } from '@nestjs/common';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { BUS_MESSAGE_BYTES, STATUS } from '@codase/contracts';
import { Bus } from '../bus/index.ts';
import { followClock, systemClock, type Clock } from '../clock/index.ts';
import { busAddress, ConfigFault, isLoopback, isProduction, refuseClearText, type LiveKeys, type ServiceConfig } from '../config/index.ts';
import { ForwardedAddresses, createHttpServer, openRoutes, Refusals, type HttpServerOptions } from '../http/index.ts';
import { BusTransport, checkHandlers, type FixedParameters } from '../nest-bus/index.ts';
import { poll, repeat } from '../resilience/index.ts';
import {
  observe,
  openLog,
  RUNTIME_METRICS,
  startAtZero,
  telemetry,
  type ConfiguredLabels,
  type Log,
  type Metric,
} from '../telemetry/index.ts';
import { CoreModule } from './core.module.ts';
import { readiness, type Check, type Note } from './health.ts';
import { openOpsServer, type Documents } from './ops-server.ts';
import type { ServiceContext } from './service-context.ts';

export interface ServiceParts {
  module: Type;
  /** What every part of the module may inject: databases, keys, addresses. */
  providers?: readonly Provider[];
  /** Values of subject parameters that this service answers for, such as its region. */
  parameters?: FixedParameters;
  /** The address and options of its HTTP server; absent for a service that is on the bus alone. */
  listen?: { host: string; port: number } & HttpServerOptions;
  checks?: Record<string, Check>;
  /** The metrics of the service; its counters begin at 0. */
  metrics?: Readonly<Record<string, Metric>>;
  /** The values of their labels that the service's configuration names. */
  labels?: ConfiguredLabels;
  /** The keys that are read again at intervals. The operator who asks for the status gets their ids. */
  keys?: { lists: readonly LiveKeys[]; pollSeconds: number };
  /** The documents that are served beside the probes, by path. */
  documents?: Documents;
  /** Closes what `build` has opened, after the work that uses it. */
  close?(): Promise<void>;
}

interface ServiceOptions {
  name: string;
  config: ServiceConfig;
  /** The clock of a test; when absent, the configuration decides. */
  clock?: Clock;
  log?: Log;
  build(context: ServiceContext): Promise<ServiceParts>;
}

export interface RunningService {
  name: string;
  /** The HTTP base, for a service that has one. */
  url?: string;
  opsUrl: string;
  app: INestApplicationContext;
  bus: Bus;
  /**
   * Reports that the service is not ready, lets new requests go to other replicas, and finishes those in hand. Settles when there are none,
   * or after `withinMs`. Then `close` refuses no caller.
   */
  drain(withinMs: number): Promise<void>;
  /** Finishes the work in flight, drains the bus, then closes everything. */
  close(): Promise<void>;
}

/** Brings a service up in order; if a step fails, the parts that already stand are taken down again. */
export async function startService({ name, config, clock: ownClock, log = openLog(name), build }: ServiceOptions): Promise<RunningService> {
  refuseMovedClock(config);
  refuseClearText(config);
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of opened.toReversed()) await close().catch((error: unknown) => log.error('closing failed', { error }));
    opened.length = 0;
  };
  try {
    const bus = await Bus.connect({ ...busAddress(config), connectSeconds: config.CONNECT_SECONDS, name, log });
    opened.push(() => bus.close());
    const clock = ownClock ?? (config.CLOCK === 'followed' ? await followClock(bus, name) : systemClock);
    const [drain, shutdown] = [new AbortController(), new AbortController()];
    let state: 'starting' | 'up' | 'shutting down' = 'starting';
    const checks: Record<string, Check> = {
      service: () => (state === 'up' ? null : state),
      nats: () => bus.problem,
      payload: () => carriesMessages(bus),
    };
    const documents: Record<string, () => object> = {};
    const ops = await openOpsServer({
      host: config.OPS_HOST,
      port: config.OPS_PORT,
      readiness: () => readiness(checks),
      documents,
      log,
    });
    opened.push(() => ops.close());
    startAtZero(RUNTIME_METRICS);
    const endReady = observe(RUNTIME_METRICS.ready, async () => [[(await readiness(checks)).ready ? 1 : 0, { 'codase.role': name }]]);
    opened.push(async () => endReady());
    const context: ServiceContext = {
      bus,
      clock,
      log,
      drain: drain.signal,
      shutdown: shutdown.signal,
      waitFor: (name, check) => waitFor(name, check, checks, log),
    };
    const parts = await build(context);
    if (parts.close) opened.push(parts.close);
    Object.assign(checks, parts.checks);
    Object.assign(documents, parts.documents);
    startAtZero(parts.metrics ?? {}, parts.labels);

    const root = rootOf(parts, context);
    const strategy = new BusTransport(bus, log, parts.parameters);
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(root, { strategy, logger: nestLog(log), abortOnError: false });
    opened.push(() => app.close());
    checkHandlers(app);
    await app.listen();
    if (strategy.unheard) checks['events'] = () => unheard(strategy);
    const forwarded = new ForwardedAddresses();
    if (parts.listen) checks['forwarded_addresses'] = () => forwarded.note;
    const http =
      parts.listen &&
      (await openHttp(app, { ...parts.listen, isForThisMachine: isForThisMachine(config, parts.listen.host), forwarded }, log, opened));
    const url = http?.url;
    const started_at = new Date().toISOString();
    const { keys } = parts;
    if (keys) opened.push(rereadKeys(keys, log));
    const status = async () => ({ name, ...(await readiness(checks)), started_at, ...(keys && { keys: idsOf(keys.lists) }) });
    await bus.answer(STATUS, { name }, status);

    state = 'up';
    log.info('ready', { 'codase.url': url ?? ops.url });
    return {
      name,
      opsUrl: ops.url,
      app,
      bus,
      ...(url && { url }),
      drain: async (withinMs) => {
        state = 'shutting down';
        const closing = strategy.close(); // takes no more requests from now on
        drain.abort();
        await Promise.all([
          http?.leave(withinMs),
          Promise.race([closing, pause(withinMs, undefined, { ref: false })]), // close ends what takes longer
        ]);
      },
      close: async () => {
        state = 'shutting down';
        drain.abort();
        shutdown.abort();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** A note when the bus carries less than a message may have: a drain or a turn of a flow may have no other way. */
function carriesMessages({ messageBytes }: Bus): Note | null {
  if (messageBytes >= BUS_MESSAGE_BYTES) return null;
  return { note: `the bus carries ${messageBytes} bytes and a message may have ${BUS_MESSAGE_BYTES}: raise max_payload of nats-server` };
}

/** Waits until the check holds, however long it takes, while readiness says what is missing: whoever deploys provides it. */
async function waitFor(name: string, check: Check, checks: Record<string, Check>, log: Log): Promise<void> {
  checks[name] = check;
  const isMet = async () => typeof (await check()) !== 'string';
  if (await isMet()) return;
  log.warn('the start waits until this check holds; readiness says what is missing', { 'codase.check': name });
  await poll(async () => ((await isMet()) ? true : undefined), { everyMs: WAIT_MS, withinMs: Infinity });
}

const WAIT_MS = 1000;

/** Reads the keys again at intervals. A list that cannot be read leaves the others alone. Returns a function that ends this. */
function rereadKeys({ lists, pollSeconds }: NonNullable<ServiceParts['keys']>, log: Log): () => Promise<void> {
  const rereads = lists.map((one) =>
    repeat(() => rereadList(one, log), {
      name: 'reread_keys',
      pauseMs: pollSeconds * 1000,
      onFailure: (error) => log.error('keys could not be read again; those that were read before stay in use', { error }),
    }),
  );
  return async () => void (await Promise.all(rereads.map((one) => one.stop())));
}

/** Reads a list again, and logs its keys if they are others than before. */
async function rereadList(list: LiveKeys, log: Log): Promise<void> {
  const before = list.ids();
  await list.reread();
  for (const [name, ids] of Object.entries(list.ids()).filter(([name, ids]) => before[name]?.join(' ') !== ids.join(' ')))
    log.info('other keys than before are in use; the first writes', { 'codase.key_list': name, 'codase.key_ids': ids.join(' ') });
}

const idsOf = (lists: readonly LiveKeys[]): Record<string, string[]> =>
  Object.fromEntries(lists.flatMap((one) => Object.entries(one.ids()).map(([list, ids]) => [list, [...ids]])));

/** Runs at the end of a process, after every service in it has closed. */
export const flushTelemetry = (): Promise<void> => telemetry.flush();

function rootOf({ module, providers = [] }: ServiceParts, context: ServiceContext): Type {
  @Module({ imports: [CoreModule.with(context, providers), module] })
  class Root {}
  return Root;
}

/**
 * Opens the HTTP server. Callers are let in when everything behind the server stands, and are gone before any of it is taken down. Returns
 * the address of the server, and a function that lets callers go elsewhere.
 */
async function openHttp(
  app: INestApplicationContext,
  { host, port, forwarded, ...options }: NonNullable<ServiceParts['listen']> & { forwarded: ForwardedAddresses },
  log: Log,
  opened: (() => Promise<void>)[],
): Promise<{ url: string; leave(withinMs: number): Promise<void> }> {
  const http = createHttpServer(log, options);
  forwarded.watch(http);
  openRoutes(app, http, new Refusals(log));
  opened.push(() => http.close());
  return { url: await http.listen({ host, port }), leave: http.leave };
}

/** Whether a server is for this machine alone: in production a proxy beside it may pass on a public name. */
const isForThisMachine = (config: ServiceConfig, host: string): boolean => !isProduction(config) && isLoopback(host);

/** A readiness check for consumers: without it, a service that no event reaches would look well, and fall behind. */
function unheard({ unheard: consumers = [] }: BusTransport): string | null {
  return consumers.length === 0 ? null : `no events reach ${consumers.join(', ')}`;
}

function refuseMovedClock(config: ServiceConfig): void {
  if (config.CLOCK === 'followed' && isProduction(config))
    throw new ConfigFault(['CLOCK: followed is for development; production keeps the system clock (or set NODE_ENV=development)']);
}

/** Writes Nest's warnings and errors as lines of the log. Its messages at the start are left out: they are not for operators. */
const nestLog = (log: Log): LoggerService => ({
  log: () => {},
  warn: () => log.warn('framework warning'),
  error: (error: unknown) => log.error('framework error', { error }),
});

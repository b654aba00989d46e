import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@codase/command-line';
import { entryOf, ROOT, type RunningStack } from '@codase/stack';
import { variablesOf } from '../image-check/container.ts';
import { besideStack } from '../scrape-check/running-stack.ts';
import { Traffic } from '../scrape-check/traffic.ts';
import { readPidFile } from '../start/pid-file.ts';
import { NetworkNamespace } from './network-namespace.ts';

/** How each attempt to connect from inside the namespace ended: `open`, `silence`, or the code of the error. */
type Attempts = Readonly<Record<string, string>>;

interface Isolation {
  attempts: Attempts;
  opened: number;
  /** Connections on which the decryptor sent its spans. */
  toCollector: number;
  problems: string[];
}

const MAX_ROUNDS = 40;
const READY_MS = 120_000;

/** Runs a decryptor in a network with NATS and the collector alone, while the shop's values are edited until it has opened some. */
export const isolationCheck = (signal: AbortSignal, say: (line: string) => void): Promise<Isolation> =>
  besideStack({ name: 'isolation-check', signal, say }, (stack, folder) => besideNamespace(stack, join(folder, 'state'), say));

async function besideNamespace(stack: RunningStack, stateDir: string, say: (line: string) => void): Promise<Isolation> {
  const namespace = await NetworkNamespace.open();
  let decryptor: ChildProcess | undefined;
  try {
    await namespace.forward(stack.ports.nats);
    const collector = await namespace.forward(stack.ports.traces);
    const attempts = await attemptsIn(namespace, stack);
    say('a decryptor in a network of its own …');
    decryptor = startDecryptor(namespace, stack, stateDir);
    await untilReady(namespace, stack, decryptor);
    const opened = await untilOpened(namespace, stack, say);
    await sleep(2000); // spans are sent every 300 ms
    const result = { attempts, opened, toCollector: collector.connections };
    return { ...result, problems: problemsOf(result) };
  } finally {
    if (decryptor && decryptor.exitCode === null) {
      const ended = once(decryptor, 'exit');
      decryptor.kill('SIGTERM');
      await ended;
    }
    await namespace.close();
  }
}

/** The addresses that are tried: some must be reached, the others must not. */
function targetsOf({ ports }: RunningStack, address: string): Record<string, [host: string, port: number]> {
  return {
    nats: [address, ports.nats],
    collector: [address, ports.traces],
    postgres: [address, ports.postgres],
    'front door': [address, ports.serving['front-door']],
    gateway: [address, ports.serving.gateway],
    'postgres on loopback': ['127.0.0.1', ports.postgres],
    internet: ['1.1.1.1', 443],
    'metadata of the cloud': ['169.254.169.254', 80],
  };
}

const REACHED = new Set(['nats', 'collector']);

async function attemptsIn(namespace: NetworkNamespace, stack: RunningStack): Promise<Attempts> {
  const script = `
    import { connect } from 'node:net';
    const attempt = ([host, port]) => new Promise((resolve) => {
      const socket = connect({ host, port, timeout: 5000 }, () => (socket.destroy(), resolve('open')));
      socket.on('error', ({ code }) => resolve(code)).on('timeout', () => (socket.destroy(), resolve('silence')));
    });
    const targets = ${JSON.stringify(targetsOf(stack, namespace.address))};
    const tried = await Promise.all(Object.entries(targets).map(async ([name, target]) => [name, await attempt(target)]));
    console.log(JSON.stringify(Object.fromEntries(tried)));`;
  return JSON.parse(await namespace.says(script)) as Attempts;
}

/** Starts a decryptor with the environment of the stack's own decryptor, except for the addresses. */
function startDecryptor(namespace: NetworkNamespace, { ports }: RunningStack, stateDir: string): ChildProcess {
  const { pid } = readPidFile(join(stateDir, 'pids/decryptor')) ?? {};
  if (pid === undefined) throw new Fault('The stack runs no decryptor.');
  const { NODE_CHANNEL_FD: _, ...inherited } = variablesOf(pid);
  const env = {
    ...inherited,
    NATS_URL: `nats://${namespace.address}:${ports.nats}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${namespace.address}:${ports.traces}`,
  };
  return namespace.spawn(process.execPath, ['--import', `${ROOT}bundle/telemetry.mjs`, entryOf('decryptor')], env);
}

const ask = (namespace: NetworkNamespace, { ports }: RunningStack, path: string): Promise<string> =>
  namespace.says(`
    const answer = await fetch('http://127.0.0.1:${ports.ops.decryptor}${path}').then((it) => it.text(), () => '');
    console.log(answer);`);

async function untilReady(namespace: NetworkNamespace, stack: RunningStack, decryptor: ChildProcess): Promise<void> {
  let said = '';
  for (const stream of [decryptor.stdout, decryptor.stderr]) stream?.on('data', (text: Buffer) => (said = (said + text).slice(-4000)));
  let readiness = '';
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; await sleep(500)) {
    if (decryptor.exitCode !== null) break;
    readiness = await ask(namespace, stack, '/readyz');
    if (readiness.includes('"ready":true')) return;
  }
  throw new Fault(`The decryptor in the namespace is not ready: ${readiness}\n${said}`);
}

/** Makes edits until the isolated decryptor has opened a value: each request goes to one of two decryptors. */
async function untilOpened(namespace: NetworkNamespace, stack: RunningStack, say: (line: string) => void): Promise<number> {
  const traffic = await Traffic.open(stack);
  try {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      await traffic.edit();
      await sleep(1000);
      const opened = openedIn(await ask(namespace, stack, '/metrics'));
      say(`edit ${round}: it has opened ${opened} values`);
      if (opened > 0) return opened;
    }
    return 0;
  } finally {
    await traffic.close();
  }
}

/** Returns how many values a decryptor has opened for all services, by its metrics. */
export const openedIn = (metrics: string): number =>
  [...metrics.matchAll(/^codase_decryptor_opened_total\S* (\d+)$/gm)].reduce((sum, [, value]) => sum + Number(value), 0);

/** Returns a sentence for each fault. */
export function problemsOf({ attempts, opened, toCollector }: Omit<Isolation, 'problems'>): string[] {
  return [
    ...Object.entries(attempts).flatMap(([name, how]) => {
      if (REACHED.has(name)) return how === 'open' ? [] : [`The decryptor does not reach ${name}: ${how}.`];
      return how === 'open' ? [`The decryptor reaches ${name}, and must not.`] : [];
    }),
    ...(opened > 0 ? [] : ['The decryptor has opened nothing with NATS and the collector alone.']),
    ...(toCollector > 0 ? [] : ['The decryptor has sent no spans to the collector.']),
  ];
}

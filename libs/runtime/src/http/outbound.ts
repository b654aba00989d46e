import * as dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { refuseInTransaction } from '../open-transaction.ts';
import { Names, type Lookup } from './names.ts';
import { isLoopback, isPublicAddress, networks } from './public-address.ts';

export interface OutboundOptions {
  /** Development: services of the same machine may be called too. */
  loopback?: boolean;
  /** Resolves names. In development the machine itself does, which knows names of its own. */
  lookup?: Lookup;
  /** What an operator forbids beyond what is not public. It counts before everything else. */
  deny?: DenyList;
}

/** Networks as addresses or CIDR ranges, and ports. */
export interface DenyList {
  networks: readonly string[];
  ports: readonly number[];
}

export interface Sent {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
  /** Over the whole exchange: name, connection, request and answer. */
  deadlineMs: number;
  /** The answer is read this far and no further. */
  answerBytes: number;
}

/** The target is not one that may be called. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
}

/**
 * Undici's own four seconds are as long as many servers keep an idle connection, and a request that meets a closing one fails: of 1,200
 * that came at such moments 55 did, and none with this.
 */
const KEEP_ALIVE_MS = 500;

/**
 * Calls to addresses that somebody else chose. The address is checked where the connection is made, after its name was resolved and with
 * the very address that is then used: a name that resolves differently the second time gains nothing. No redirect is followed, nothing is
 * sent twice, no proxy is asked.
 */
export class Outbound {
  private readonly agent: Agent;
  private readonly isAllowed: (address: string) => boolean;
  private readonly deniedPorts: ReadonlySet<number>;

  constructor({ loopback = false, lookup = loopback ? dns.lookup : new Names().lookup, deny }: OutboundOptions = {}) {
    const isDenied = networks(deny?.networks ?? []);
    this.isAllowed = (address) => !isDenied(address) && ((loopback && isLoopback(address)) || isPublicAddress(address));
    this.deniedPorts = new Set(deny?.ports);
    this.agent = new Agent({
      connect: { lookup: this.checked(lookup) },
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      pipelining: 1,
    });
  }

  /** The status that came back. Throws when the target is refused, cannot be reached, or does not answer in time. */
  async send(url: string, { method, headers, body, deadlineMs, answerBytes }: Sent): Promise<{ status: number }> {
    refuseInTransaction('a call out');
    const { origin, protocol, hostname, port, pathname, search } = new URL(url);
    this.checkLiteral(hostname);
    if (this.deniedPorts.has(Number(port || USUAL_PORTS[protocol]))) throw new TargetRefused('the port is not one that may be called');
    const exchange = new Exchange(deadlineMs, answerBytes);
    this.agent.dispatch({ origin, path: pathname + search, method, headers, body: body ?? null }, exchange);
    return { status: await exchange.status };
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** An address in the URL itself is never looked up. */
  private checkLiteral(hostname: string): void {
    const host = hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !this.isAllowed(host)) throw refused();
  }

  private checked(lookup: Lookup): LookupFunction {
    return (hostname, options, callback) => {
      lookup(hostname, { all: true }, (error, addresses) => {
        const allowed = error ? [] : addresses.filter(({ address }) => this.isAllowed(address));
        const [first] = allowed;
        if (error) callback(error, '', 4);
        else if (!first) callback(refused(), '', 4);
        else if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      });
    };
  }
}

const USUAL_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

const refused = () => new TargetRefused('the address is not one on the public internet');

/**
 * One exchange, from which nothing but its status is wanted: it costs half of what undici's `request` does, which makes a stream of every
 * answer. An orderly end keeps the connection; an answer that is too long, or ends badly, costs it. The status has been given either way.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly status: Promise<number>;
  private settle: { resolve(status: number): void; reject(error: Error): void } = { resolve: () => undefined, reject: () => undefined };
  private answered: number | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private isOver = false;
  private readonly deadline: NodeJS.Timeout;
  private readonly deadlineMs: number;
  private bytesLeft: number;

  constructor(deadlineMs: number, answerBytes: number) {
    this.deadlineMs = deadlineMs;
    this.bytesLeft = answerBytes;
    this.status = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.deadline = setTimeout(() => this.cut(), deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(late(this.deadlineMs));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.answered = status;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytesLeft -= chunk.length;
    if (this.bytesLeft < 0) controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(error);
  }

  /** At the deadline, wherever it stands: a name that is still looked up has no connection yet that could be cut. */
  private cut(): void {
    const error = late(this.deadlineMs);
    this.end(error);
    this.controller?.abort(error);
  }

  private end(error?: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.deadline);
    if (this.answered !== undefined) this.settle.resolve(this.answered);
    else this.settle.reject(error ?? new Error('the connection ended without an answer'));
  }
}

const late = (ms: number) => new DOMException(`no answer within ${ms} ms`, 'TimeoutError');

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { poll } from '../resilience/poll.ts';
import { repeat, type Repeated } from '../resilience/repeat.ts';
import { count, raise, RUNTIME_METRICS, type Log } from '../telemetry/index.ts';
import { addressKey } from './address-key.ts';
import { bodyDeadlines } from './body-deadlines.ts';

/** How many connections a server holds: in all, and of one address (one /64 of IPv6). */
export interface ConnectionLimits {
  most: number;
  perAddress: number;
  /** Whether an address is a proxy of ours, which brings the connections of many callers. */
  isProxy?: (address: string) => boolean;
  /** How long an answer may take to leave, and how slowly a caller may read a long one. */
  answers?: { ms: number; bytesPerMs: number };
}
export const CONNECTION_LIMITS: ConnectionLimits = { most: 4096, perAddress: 256 };

/** The most requests of one connection that wait for their answers. A caller that wants answers never has more. */
const PIPELINED = 16;
const ANSWERS = { ms: 60_000, bytesPerMs: 16 };
const SWEEP_MS = 1000;
const LOGGED_EVERY_MS = 60_000;
/** Callers count as gone elsewhere when no request has come for this long; and how often this is checked. */
const QUIET_MS = 1000;
const CHECK_MS = 25;
/** How long a server that closes waits for the rest of a request's headers. */
const HALF_REQUEST_MS = 250;

interface Connection {
  socket: Socket;
  group: Group;
  /** The requests that do not have their whole answer yet, with their answers, and the newest of these answers. */
  requests: Map<IncomingMessage, ServerResponse>;
  response: ServerResponse | undefined;
  /** The bytes that the connection had sent before the answer whose turn it is, and when that answer was first seen to leave. */
  turn: { before: number; since: number | undefined };
}

/** The connections of one address. All connections of proxies are one group. */
interface Group {
  key: string;
  open: number;
  /** The connections without a request in hand, those that have had none for the longest first. */
  idle: Set<Connection>;
}

type Reason = 'all' | 'address' | 'pipelined' | 'slow_reader';

/**
 * Counts the connections of a server and keeps them bounded. When a limit is reached, a connection without a request in hand is closed in
 * favour of the new one: it has sent half a request, or its caller may connect again. So a caller that holds connections open does not keep
 * others out.
 */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  private readonly idle = new Set<Connection>();
  private readonly groups = new Map<string, Group>();
  private sweeping: Repeated | undefined;
  private isLeaving = false;
  private isClosing = false;
  private lastRequestAt = -Infinity;
  private closed = 0;
  private loggedAt = -Infinity;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly log: Log,
  ) {}

  /** Begins to check: bodies that do not come are refused, and answers that do not leave are ended. */
  watch(): void {
    const onFailure = (error: unknown) => this.log.error('looking at connections failed', { error });
    this.sweeping = repeat(async () => this.sweep(), { name: 'connections', pauseMs: SWEEP_MS, onFailure });
  }

  /** Takes in a new connection, or refuses it. */
  accept(socket: Socket): void {
    const group = this.groupOf(socket.remoteAddress ?? '');
    const isProxy = group.key === '';
    if (!isProxy && group.open >= this.limits.perAddress && !this.closeOldest(group.idle, 'address')) return this.refuse(socket, 'address');
    if (this.open.size >= this.limits.most && !this.closeOldest(this.idle, 'all')) return this.refuse(socket, 'all');
    const connection: Connection = { socket, group, requests: new Map(), response: undefined, turn: { before: 0, since: undefined } };
    this.open.set(socket, connection);
    this.groups.set(group.key, group);
    group.open++;
    this.rest(connection);
    raise(RUNTIME_METRICS.httpConnections, 1);
    socket.prependOnceListener('close', () => {
      this.forget(connection);
      for (const [request, response] of connection.requests) {
        dropQuietly(request);
        if (!response.socket) closeUnsent(response);
      }
    });
  }

  /** Notes a request whose headers have all come. Returns whether to serve it. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const connection = this.open.get(socket);
    if (connection && connection.requests.size >= PIPELINED) this.cut(connection, 'pipelined');
    if (!connection || connection.requests.size >= PIPELINED) return dropQuietly(request);
    connection.requests.set(request, response);
    connection.response = response;
    this.lastRequestAt = performance.now();
    if (this.isLeaving) response.shouldKeepAlive = false;
    this.idle.delete(connection);
    connection.group.idle.delete(connection);
    // Node sends the next answer in its own listener, which must not run first: its bytes would count as bytes of this answer.
    response.prependOnceListener('finish', () => (connection.turn = { before: socket.bytesWritten, since: undefined }));
    response.on('close', () => {
      connection.requests.delete(request);
      if (connection.requests.size === 0 && this.open.has(socket)) this.rest(connection);
    });
    return true;
  }

  /**
   * Lets callers go elsewhere before the server closes: each answer from now on says that its connection closes, so that no caller sends a
   * request on a connection that is about to close. Settles when no request has come for a while.
   */
  async leave(withinMs: number): Promise<void> {
    this.isLeaving = true;
    for (const { response } of this.open.values()) if (response && !response.headersSent) response.shouldKeepAlive = false;
    const since = performance.now(); // a connection that was idle until now may be used in this very moment
    const isQuiet = () => this.open.size === 0 || performance.now() - Math.max(since, this.lastRequestAt) >= QUIET_MS;
    await poll(() => (isQuiet() ? true : undefined), { everyMs: CHECK_MS, withinMs });
  }

  /**
   * Ends connections because the server closes. Node ends idle ones that have served a request. This ends those that never sent anything,
   * and each connection whose answer said nothing of closing, such as a stream, and ends later: Node would keep it until its idle time is
   * over. For a connection that has sent half a request, Node would wait as long as headers may take; here it has a moment for the rest.
   */
  close(): void {
    this.isClosing = true;
    for (const { socket } of this.idle) if (socket.bytesRead === 0) socket.destroy();
    // Bytes that have come by then are read before the connections are ended, however busy the process is.
    setTimeout(() => setImmediate(() => this.endIdle()), HALF_REQUEST_MS).unref();
  }

  private endIdle(): void {
    for (const { socket } of this.idle) socket.destroy();
  }

  stop(): void {
    void this.sweeping?.stop();
  }

  private groupOf(address: string): Group {
    const key = this.limits.isProxy?.(address) ? '' : addressKey(address);
    return this.groups.get(key) ?? { key, open: 0, idle: new Set() };
  }

  private rest(connection: Connection): void {
    connection.response = undefined;
    this.idle.add(connection);
    connection.group.idle.add(connection);
    if (this.isClosing) connection.socket.destroySoon();
  }

  private forget(connection: Connection): void {
    if (!this.open.delete(connection.socket)) return;
    const { group } = connection;
    this.idle.delete(connection);
    group.idle.delete(connection);
    if (--group.open === 0) this.groups.delete(group.key);
    raise(RUNTIME_METRICS.httpConnections, -1);
  }

  private closeOldest(idle: ReadonlySet<Connection>, reason: Reason): boolean {
    const [oldest] = idle;
    if (oldest) this.cut(oldest, reason);
    return oldest !== undefined;
  }

  private cut(connection: Connection, reason: Reason): void {
    this.forget(connection);
    this.refuse(connection.socket, reason);
  }

  private refuse(socket: Socket, reason: Reason): void {
    socket.destroy();
    count(RUNTIME_METRICS.httpConnectionsClosed, { 'codase.limit': reason });
    this.closed++;
  }

  /** Ends bodies that do not come and answers that do not leave, and logs now and then that connections were closed. */
  private sweep(): void {
    const now = performance.now();
    bodyDeadlines.check(now);
    for (const connection of this.open.values()) if (this.isStuck(connection, now)) this.cut(connection, 'slow_reader');
    if (this.closed === 0 || now - this.loggedAt < LOGGED_EVERY_MS) return;
    this.log.warn('connections were closed: too many, or answers that nobody reads', { 'codase.count': this.closed });
    this.loggedAt = now;
    this.closed = 0;
  }

  /**
   * Whether the answer whose turn it is leaves too slowly. An answer made whole has all its bytes in `bytesWritten` at once, and a streamed
   * one those that its caller has let through. A stream of events ends slow readers itself as long as it is open. Its time begins
   * with its end, when nearly all its bytes have left.
   */
  private isStuck({ socket, requests, turn }: Connection, now: number): boolean {
    const [response] = requests.values();
    if (!response?.headersSent || response.writableFinished) return false;
    const isEvents = isEventStream(response);
    if (isEvents && !response.writableEnded) return false;
    turn.since ??= now;
    const { ms, bytesPerMs } = this.limits.answers ?? ANSWERS;
    const bytes = isEvents ? 0 : socket.bytesWritten - turn.before;
    return now - turn.since > ms + bytes / bytesPerMs;
  }
}

const isEventStream = (response: ServerResponse): boolean => String(response.getHeader('content-type')).startsWith('text/event-stream');

/**
 * Ends a request whose connection is gone, before Node does: Node makes an error for each and formats its stack, with source maps if they
 * are on. For a connection with a thousand pipelined requests this takes a hundred milliseconds. Code that reads a body learns it from
 * `close`.
 */
function dropQuietly(request: IncomingMessage): false {
  request.destroy();
  return false;
}

/** Closes an answer that waits for its turn on a lost connection: Node closes only the one whose turn it is. */
function closeUnsent(response: ServerResponse): void {
  response.destroyed = true;
  response.emit('close');
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forThisMachine } from '@codase/runtime/http';
import type { SeenSpan } from '@codase/stack/trace-receiver';
import { BOARD_CSS } from './board.css.ts';
import { fiveNumbers, isShown, waiting } from './five-numbers.ts';
import { boardPage, nothingPage, tracePage } from './pages.ts';
import { ServiceScrapes, type Watched } from './service-scrapes.ts';
import { barsOf, tracesOfEvents } from './traces-of-events.ts';

const SPAN_MINUTES = 5;
const MAX_TRACES = 20;

/** Pages load nothing from other hosts and run no scripts. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export interface KeptSpans {
  all: readonly SeenSpan[];
  trace(trace_id: string): SeenSpan[];
}

/** The page of a development stack, on loopback only: whether it is well, what waits, and the traces of its newest events. */
export class BoardServer {
  private constructor(
    private readonly server: Server,
    private readonly scrapes: ServiceScrapes,
    private readonly spans: KeptSpans,
  ) {}

  static async open(port: number, watched: readonly Watched[], spans: KeptSpans): Promise<BoardServer> {
    const server = createServer();
    const board = new BoardServer(server, new ServiceScrapes(watched, isShown), spans);
    server.on(
      'request',
      forThisMachine((request, response) => board.answer(request, response)),
    );
    await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
    await board.scrapes.start();
    return board;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.scrapes.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => void this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const write = (status: number, body: string, type = 'text/html') =>
      void response.writeHead(status, { ...HEADERS, 'content-type': `${type}; charset=utf-8` }).end(body);
    if (request.method !== 'GET') return write(405, nothingPage());
    if (request.url === '/board.css') return write(200, BOARD_CSS, 'text/css');
    if (request.url === '/') return write(200, this.board());
    const bars = barsOf(this.spans.trace(/^\/events\/([0-9a-f]{32})$/.exec(request.url ?? '')?.[1] ?? ''));
    return bars.length ? write(200, tracePage(bars)) : write(404, nothingPage());
  }

  private board(): string {
    const now = this.scrapes.newest!;
    const before = this.scrapes.since(SPAN_MINUTES * 60_000)!;
    return boardPage(fiveNumbers(before, now), waiting(now), tracesOfEvents(this.spans.all, MAX_TRACES), SPAN_MINUTES);
  }
}

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Controller } from '@nestjs/common';
import { CONTENT_SHA256_HEADER, largestBody, Refusal, TIMEOUT_HEADER, type Endpoint } from '@codase/contracts';
import { ServesRaw, type RawAnswer, type RawRequest } from '@codase/runtime/http';
import { RoutingService } from '../routing/routing.service.ts';
import { CallerTokens, type HttpCaller } from './caller-tokens.ts';
import { bounded, sendStream, tooLarge } from './send-stream.http.ts';
import { readStreamRequest } from './stream-request.ts';

/** Headers of the platform's answer that the caller gets. */
const PASSED_ON = ['content-type', 'content-length', CONTENT_SHA256_HEADER.toLowerCase()];

/** Serves over HTTP what the bus does not carry: files, which stream through unread, and accounts, whose answers hold secrets. */
@Controller()
export class StreamsHttp {
  constructor(
    private readonly tokens: CallerTokens,
    private readonly routing: RoutingService,
  ) {}

  @ServesRaw({ methods: ['GET', 'POST', 'PUT', 'DELETE'], path: '/v1/{client}/{operation}', body: 'stream' })
  async pass(request: RawRequest<'stream'>): Promise<RawAnswer> {
    const caller = this.tokens.callerOf(request.headers.authorization);
    return request.inCallersTrace(() => this.passFor(caller, request));
  }

  private async passFor(caller: HttpCaller, request: RawRequest<'stream'>): Promise<RawAnswer> {
    const { name, contract, path } = readStreamRequest(request.method, request.url);
    if (!caller.may.includes(name))
      throw new Refusal('auth.client_endpoint_forbidden').because('You may not act as this client: an operator has to say so');
    if (contract.takes)
      throw new Refusal('auth.client_endpoint_forbidden').because(
        'What takes away what it answers goes over the bus alone, for those whom an operator lets',
      );
    const client = this.routing.clientFor(name, contract);
    const body = bodyOf(request, contract);
    const withinMs = Number(request.headers[TIMEOUT_HEADER]) || undefined;
    const answer = await this.routing.route(
      client,
      contract,
      { by: caller.name, withinMs },
      {
        send: ({ api_url, access_token }, { leftMs }) => {
          const headers = headersOf(request.headers, access_token, contract);
          const { gone } = request;
          return sendStream({ contract, url: `${api_url}${path}`, headers, ...(body && { body: body.open() }), leftMs, gone });
        },
        isSpent: () => body?.isSpent ?? false,
      },
    );
    return { status: answer.statusCode!, headers: passedOn(answer), body: answer };
  }
}

/** Returns the body of a call, which can be sent only once. */
function bodyOf({ headers, body: coming }: RawRequest<'stream'>, contract: Endpoint) {
  if (!contract.body) return undefined;
  const largest = largestBody(contract);
  if (Number(headers['content-length'] ?? 0) > largest) throw tooLarge(contract);
  return {
    isSpent: false,
    open(): Readable {
      this.isSpent = true;
      return coming.pipe(bounded(contract));
    },
  };
}

function headersOf(headers: IncomingHttpHeaders, access_token: string, { body }: Endpoint) {
  const { 'content-type': type = 'application/json', 'content-length': length } = headers;
  const described = body ? { 'content-type': type, ...(length && { 'content-length': length }) } : {};
  return { authorization: `Bearer ${access_token}`, accept: 'application/json', ...described }; // a refusal must be JSON to be read
}

const passedOn = ({ headers }: IncomingMessage): Record<string, string | string[]> =>
  Object.fromEntries(PASSED_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

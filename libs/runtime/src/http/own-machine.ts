import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from '@codase/contracts';
import { discardBody } from './discard-body.ts';
import { JSON_FORMAT } from './formats.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

interface Fault {
  status: number;
  error: string;
}

/**
 * Wraps what a port of this machine serves, so that programs reach it and pages of others do not. Any page that a browser of this machine
 * shows can send requests here, so three things are checked: a name that another site lets resolve to this address (Host), the page that
 * sends (Origin), and a body that a browser sends without asking first (Content-Type). An error in `serve` is answered, and ends nothing.
 */
export function forThisMachine(serve: Serve): RequestListener {
  return (request, response) => {
    const fault = hostFault(request) ?? originFault(request) ?? bodyFault(request);
    return fault ? refuse(request, response, fault) : answering(serve)(request, response);
  };
}

/** Answers 500 when `serve` fails, which would otherwise end the process. */
export function answering(serve: Serve): RequestListener {
  return (request, response) =>
    void (async () => serve(request, response))().catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(request, response, { status: 500, error: 'This request failed' });
    });
}

/**
 * Wraps what a server of the product serves on a port of this machine in development: no other site reaches it by a name of its own.
 * The server checks origins and types by its own rules, which hold in production too.
 */
export const byOwnName =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const fault = hostFault(request);
    return fault ? refuseAsServer(request, response, fault) : serve(request, response);
  };

/** The port is not compared: a balancer in front of a replica has another one, and a page cannot choose which Host its browser sends. */
function hostFault({ headers: { host = '' } }: IncomingMessage): Fault | undefined {
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
  const isAddress = isIP(name) === 4 || (name.startsWith('[') && name.endsWith(']') && isIP(name.slice(1, -1)) === 6);
  return isAddress || name === 'localhost' ? undefined : { status: 421, error: 'Call this port by an address or as localhost' };
}

const originFault = ({ headers: { host, origin } }: IncomingMessage): Fault | undefined =>
  origin === undefined || origin === `http://${host}` ? undefined : { status: 403, error: 'No page of another origin may call this port' };

function bodyFault({ method, headers }: IncomingMessage): Fault | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
  return isJson ? undefined : { status: 415, error: 'Send application/json' };
}

/** Refuses as the servers of the product do, whose clients read a key. */
function refuseAsServer(request: IncomingMessage, response: ServerResponse, { error }: Fault): void {
  const refusal = new Refusal('request.invalid').because(`Host: ${error}`);
  discardBody(request, response);
  response.writeHead(refusal.status, { 'content-type': JSON_FORMAT.type }).end(JSON_FORMAT.write(refusal.toBody()));
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, error }: Fault): void {
  discardBody(request, response);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

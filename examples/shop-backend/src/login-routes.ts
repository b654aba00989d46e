import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Refusal } from '@codase/contracts';
import { approvedBy, type Logins } from './logins.ts';

/** The size limit of the body that begins a login. */
const BODY_BYTES = 1024;

/**
 * Serves `POST /login {"share_code": "ANA"}`, which challenges the person and answers with the digits to show, and `GET /account` with
 * `Authorization: Bearer LOGIN`, which waits for the outcome and lets the request in when the person approved. Returns whether the request
 * was one of these.
 */
export function loginRoutes(logins: Logins): (request: IncomingMessage, response: ServerResponse) => boolean {
  const guard = approvedBy(logins);
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    'POST /login': (request, response) => begin(logins, request, response),
    'GET /account': (request, response) => guard(request, response, () => answer(response, 200, { account: 'yours' })),
  };
  return (request, response) => {
    const route = routes[`${request.method} ${request.url}`];
    route?.(request, response).catch(() => answer(response, 500, { error: 'the login failed' }));
    return route !== undefined;
  };
}

async function begin(logins: Logins, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A page of another site can send a text without asking first, but no JSON.
  if (!request.headers['content-type']?.startsWith('application/json')) return answer(response, 415, { error: 'send application/json' });
  const share_code = shareCodeIn(Number(request.headers['content-length']) <= BODY_BYTES ? await text(request) : '');
  if (share_code === undefined) return answer(response, 400, { error: 'send {"share_code": "…"} with its Content-Length' });
  try {
    answer(response, 202, await logins.begin(share_code, request.socket.remoteAddress ?? 'somewhere'));
  } catch (error) {
    const { status, key } = error instanceof Refusal ? error : new Refusal('service.unavailable');
    answer(response, status, { error_key: key });
  }
}

function shareCodeIn(body: string): string | undefined {
  try {
    const { share_code } = JSON.parse(body) as { share_code?: unknown };
    return typeof share_code === 'string' ? share_code : undefined;
  } catch {
    return undefined;
  }
}

const answer = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

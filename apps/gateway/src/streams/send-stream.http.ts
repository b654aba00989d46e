import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Transform, type Readable } from 'node:stream';
import { largestBody, Refusal, type Endpoint } from '@codase/contracts';
import { UnexpectedAnswer } from '@codase/runtime/http';
import { carryTrace, inSpan, SpanKind } from '@codase/runtime/telemetry';

interface StreamCall {
  contract: Endpoint;
  url: string;
  headers: OutgoingHttpHeaders;
  body?: Readable;
  /** The milliseconds within which the answer must begin. After that, bytes must keep coming. */
  leftMs: number;
  /** Aborts when the caller has hung up. */
  gone: AbortSignal;
}

const IDLE_MS = 30_000;
const REFUSAL_BYTES = 64 * 1024;
const AGENTS = {
  'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
} as const;

/** Sends a call whose bodies are streamed, and returns when the answer begins. An answer that is no success is thrown as its refusal. */
export function sendStream(call: StreamCall): Promise<IncomingMessage> {
  const { method, path } = call.contract;
  return inSpan(
    `${method} ${path}`,
    { kind: SpanKind.CLIENT, attributes: { 'http.request.method': method, 'http.route': path } },
    async (span) => {
      const answer = await answerTo(open(call), call);
      span.setAttribute('http.response.status_code', answer.statusCode!);
      if (answer.statusCode === call.contract.status) return answer;
      throw await refusalIn(answer, call.contract);
    },
  );
}

function open({ contract, url, headers, gone }: StreamCall): ClientRequest {
  const traced: OutgoingHttpHeaders = { ...headers };
  carryTrace({ get: (name) => traced[name] as string | undefined, set: (name, value) => void (traced[name] = value) });
  const secure = url.startsWith('https:');
  return (secure ? httpsRequest : httpRequest)(url, {
    method: contract.method,
    headers: traced,
    agent: AGENTS[secure ? 'https:' : 'http:'],
    signal: gone,
  });
}

function answerTo(request: ClientRequest, { body, leftMs }: StreamCall): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => request.destroy(Object.assign(new Error('no answer in time'), { name: 'TimeoutError' })), leftMs);
    const settle = () => clearTimeout(late);
    request.once('response', (answer) => {
      settle();
      resolve(answer);
    });
    // The listener stays for the life of the request: a connection that breaks later fails the answer's stream, and must not end the
    // process.
    request.on('error', (error) => {
      settle();
      reject(error);
    });
    request.setTimeout(IDLE_MS, () => request.destroy(Object.assign(new Error('the connection fell silent'), { code: 'ETIMEDOUT' })));
    body?.once('error', reject); // the body's own error, before the connection breaks because of it
    if (body) pipeline(body, request, (error) => error && request.destroy(error));
    else request.end();
  });
}

async function refusalIn(answer: IncomingMessage, contract: Endpoint): Promise<Error> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > REFUSAL_BYTES) break;
    chunks.push(chunk);
  }
  const refusal = Refusal.fromBody(readJson(Buffer.concat(chunks)), answer.statusCode);
  const retryAfter = answer.headers['retry-after'];
  const seconds = Number(retryAfter);
  if (!refusal) return new UnexpectedAnswer(contract, answer.statusCode!, retryAfter);
  return seconds ? refusal.after(seconds) : refusal;
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The refusal of a body that is larger than the endpoint accepts. */
export const tooLarge = ({ tooLarge: key = 'request.too_large' }: Endpoint): Refusal => new Refusal(key);

/** Passes as many bytes as the endpoint accepts, and fails at the next. */
export function bounded(contract: Endpoint): Transform {
  const most = largestBody(contract);
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      done(seen > most ? tooLarge(contract) : null, chunk);
    },
  });
}

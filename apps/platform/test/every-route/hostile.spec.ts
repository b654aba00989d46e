import { ERRORS, EXAMPLES, isErrorKey, PARAMETER_SAMPLES, statusesOf, type Endpoint } from '@codase/contracts';
import { World } from '@codase/testing';
import { bent, hostileRequests, type Target, type Wire } from '@codase/testing/hostile-requests';
import fc from 'fast-check';
import { once } from 'node:events';
import { connect } from 'node:net';
import { AT_FORWARDER, AT_FRONT_DOOR, AT_REGION, kindOf, tokenOf } from './callers.ts';
import type { z } from 'zod';

const RUNS = 12;

/**
 * Texts that show data of another tenant or the inside of the platform. The end of the request's own token, behind a bullet, does not
 * count.
 */
const LEAKS = [/(?<!•)bolt/i, /\bat .*\.(ts|js):\d+/, /node_modules/, /select .* from/i, /postgres/i];

describe('every route with hostile requests @spec D1-7', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'forwarder'] });
  });
  afterAll(() => world?.close());

  const bases = [
    ['front door', AT_FRONT_DOOR],
    ['region', AT_REGION],
    ['forwarder', AT_FORWARDER],
  ] as const;
  const cases = bases.flatMap(([base, endpoints]) => endpoints.map((contract) => [contract.name, base, contract] as const));

  it.each(cases)('%s at the %s answers as its contract says, or with a catalogued refusal', async (_, base, contract) => {
    const url = { 'front door': world.frontDoorUrl, region: world.regionUrl('eu'), forwarder: world.forwarderUrl }[base];
    const token = contract.callers.includes('anyone') ? undefined : await tokenOf(world, kindOf(contract));

    await fc.assert(
      fc.asyncProperty(hostileRequests(targetOf(contract)), async (wire) => {
        const answer = await exchange(
          url,
          contract.method,
          token === undefined ? wire : { ...wire, headers: { authorization: `Bearer ${token}`, ...wire.headers } },
        );
        expect(faultOf(contract, answer)).toBeUndefined();
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

/** What is attacked: the example of the contract, with the members that the example leaves out of the query. */
function targetOf({ name, method, path, consumes = 'structured', query }: Endpoint): Target {
  const example = EXAMPLES[name];
  const members = Object.keys((query as z.ZodObject | undefined)?.shape ?? {}).map((member) => [member, '']);
  return {
    method,
    path,
    consumes,
    parameter: (parameter) => fc.constant(PARAMETER_SAMPLES[parameter] ?? 'x'),
    query: query && { ...Object.fromEntries(members), ...example?.query },
    bodies: bent(example?.body ?? {}),
  };
}

interface Answer {
  status: number;
  type: string;
  body: string;
}

/** What is wrong with an answer; undefined when it is right. */
function faultOf({ status, refusals }: Endpoint, { status: given, type, body }: Answer): string | undefined {
  const leak = LEAKS.find((pattern) => given !== 200 && pattern.test(body));
  if (leak) return `${given} says ${leak}: ${body.slice(0, 200)}`;
  if (given === status) return undefined;
  if (type.includes('text/html')) return given < 500 ? undefined : `${given} as a page`;
  const key = /"?error_key"?[>:]\s*"?([\w.]+)/.exec(body)?.[1];
  if (!isErrorKey(key)) return `${given} without a catalogued key: ${body.slice(0, 200)}`;
  if (key === 'service.unavailable') return `nobody foresaw this: ${body.slice(0, 200)}`;
  if (!statusesOf(key).includes(given)) return `${key} with ${given}`;
  // A mangled path may lead to a neighbouring route, which does not find the object.
  const isDeclared = refusals.includes(key) || /^(request|auth|region|oauth)\.|not_found$/.test(key);
  return isDeclared ? undefined : `${key} (${ERRORS[key][1]}) is not declared`;
}

/** Sends the request exactly as it is: an HTTP client would correct the path and refuse the headers. */
async function exchange(base: string, method: string, { target, headers, body }: Wire): Promise<Answer> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(10_000, () => socket.destroy());
  const lines = Object.entries({
    host: `${hostname}:${port}`,
    connection: 'close',
    ...headers,
    ...(body && { 'content-length': String(body.length) }),
  });
  socket.on('error', () => undefined); // a refusal may come before everything was sent
  socket.write(`${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  if (body) socket.write(body);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (chunks[0]!.includes('text/event-stream')) socket.destroy(); // the stream would go on for an hour
  });
  await once(socket, 'close');
  const [head = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    type: /content-type: (.*)/i.exec(head)?.[1] ?? '',
    body: rest.join('\r\n\r\n'),
  };
}

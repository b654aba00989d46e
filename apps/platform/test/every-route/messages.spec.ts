import { ANYONE_BODY_BYTES, type Endpoint } from '@codase/contracts';
import { World } from '@codase/testing';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import type { z } from 'zod';
import { AT_FRONT_DOOR, AT_REGION, kindOf, sampleOf, tokenOf } from './callers.ts';

/** Words of messages that come from libraries: zod, Fastify, Node, Postgres. */
const NOT_OURS =
  /Invalid |Too (big|small)|Unrecognized|, received |expected (string|number|object|array|bool)|regex|FST_|Unexpected (token|end)|JSON at|SyntaxError|violates|relation "|Malformed request|the form that is expected|: is not valid/;

const STRANGER = 'stranger_to_all';
const isOauth = ({ path }: Endpoint) => path.startsWith('/oauth2/');

interface Sent {
  query?: Record<string, unknown>;
  type?: string;
  encoding?: string;
  body?: Buffer | string;
}

interface Fault {
  name: string;
  sent: Sent;
  status: number;
  /** A text that the message begins with or contains. */
  says: string;
}

const typeOf = ({ consumes }: Endpoint) => (consumes === 'form' ? 'application/x-www-form-urlencoded' : 'application/json');
const written = (contract: Endpoint, body: unknown) =>
  contract.consumes === 'form' ? String(new URLSearchParams(body as Record<string, string>)) : JSON.stringify(body);
const without = (body: object, name: string) => Object.fromEntries(Object.entries(body).filter(([other]) => other !== name));
const isTaken = (shape: z.ZodType, value: unknown) => shape.safeParse(value).success;

/** Each kind of fault that a request to this endpoint can have. */
function faultsOf(contract: Endpoint): Fault[] {
  const { query, body: given } = sampleOf(contract) as { query?: Record<string, unknown>; body?: object };
  const type = typeOf(contract);
  const faults: Fault[] = [];
  if (contract.query && !isOauth(contract))
    faults.push({
      name: 'an unknown query parameter',
      sent: { query: { ...query, [STRANGER]: 'x' } },
      status: 400,
      says: `query: does not take ${STRANGER}`,
    });
  if (!contract.body || given === undefined) return faults;
  const sends = (body: unknown): Sent => ({ ...(query && { query }), type, body: written(contract, body) });
  if (!isTaken(contract.body, { ...given, [STRANGER]: 'x' }))
    faults.push({
      name: 'an unknown member',
      sent: sends({ ...given, [STRANGER]: 'x' }),
      status: 400,
      says: `body: does not take ${STRANGER}`,
    });
  for (const name of Object.keys(given)) {
    const wrong = contract.consumes === 'form' ? 'x'.repeat(5000) : { no: 'such thing' };
    for (const [fault, body] of [
      ['missing', without(given, name)],
      ['wrong', { ...given, [name]: wrong }],
    ] as const)
      if (!isTaken(contract.body, body)) faults.push({ name: `${name} ${fault}`, sent: sends(body), status: 400, says: name });
  }
  const whole = written(contract, given);
  const [encoded, charset] = ['Content-Encoding: ', 'Content-Type: its charset'];
  faults.push(
    { name: 'gzip', sent: { type, encoding: 'gzip', body: gzipSync(whole) }, status: 415, says: encoded },
    {
      name: 'another charset',
      sent: { type: `${type}; charset=iso-8859-1`, body: Buffer.from(whole, 'latin1') },
      status: 415,
      says: charset,
    },
  );
  if (contract.consumes !== 'form')
    faults.push(
      { name: 'malformed JSON', sent: { type, body: '{"name":' }, status: 400, says: 'body: must be JSON' },
      { name: 'malformed XML', sent: { type: 'application/xml', body: '<a><b></a>' }, status: 400, says: 'body: must be XML' },
      { name: 'another format', sent: { type: 'text/csv', body: 'a,b' }, status: 415, says: 'Content-Type: must be application/json' },
      { name: 'no object', sent: { type, body: '[]' }, status: 400, says: 'body: ' },
    );
  const largest = Math.min(contract.largest ?? 1024 * 1024, contract.callers.includes('anyone') ? ANYONE_BODY_BYTES : Infinity);
  if (largest <= 2 * 1024 * 1024)
    faults.push({
      name: 'too long',
      sent: { type, body: Buffer.alloc(largest + 1, 0x20) },
      status: 413,
      says: `body: must have at most ${largest} bytes`,
    });
  return faults;
}

describe('every route with one fault in the request @gap D1-7', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
  });
  afterAll(() => world?.close());

  const bases = [
    ['front door', AT_FRONT_DOOR],
    ['region', AT_REGION],
  ] as const;
  const cases = bases.flatMap(([base, endpoints]) =>
    endpoints.flatMap((contract) => {
      const faults = faultsOf(contract);
      return faults.length === 0 ? [] : [[contract.name, base, contract, faults] as const];
    }),
  );

  it.each(cases)(
    "%s at the %s names the wrong member and what is expected, without a library's wording",
    async (_, base, contract, faults) => {
      const at = base === 'region' ? world.regionUrl('eu') : world.frontDoorUrl;
      const token = contract.callers.includes('anyone') ? undefined : await tokenOf(world, kindOf(contract));
      const path = pathOf(contract);

      const wrong: string[] = [];
      for (const { name, sent, status, says } of faults) {
        const answer = await send(`${at}${path}`, contract.method, sent, token);
        const message = answer.body.error_description ?? answer.body.error ?? '';
        if (
          !(answer.status === status || answer.body.error_key === 'account.password_wrong') ||
          !message.includes(says) ||
          NOT_OURS.test(message)
        )
          wrong.push(`${name}: ${answer.status} ${answer.body.error_key}: ${message}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

function pathOf(contract: Endpoint): string {
  const { params = {} } = sampleOf(contract) as { params?: Record<string, string> };
  return contract.path.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(params[name]!));
}

interface Refused {
  error?: string;
  error_key?: string;
  error_description?: string;
}

async function send(url: string, method: string, { query, type, encoding, body }: Sent, token: string | undefined) {
  const search = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const { statusCode, body: answer } = await request(search ? `${url}?${search}` : url, {
    method: method as 'POST',
    headers: {
      accept: 'application/json',
      ...(type && { 'content-type': type }),
      ...(encoding && { 'content-encoding': encoding }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  return { status: statusCode, body: (text.startsWith('{') ? JSON.parse(text) : { error: text }) as Refused };
}

import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { NatsServer } from '@codase/servers';
import { requiredVariable } from '@codase/testing';
import fc from 'fast-check';
import type { ApiDocument } from '../src/fuzz/api-document.ts';
import { fuzz, Fuzzer } from '../src/fuzz/fuzz.ts';
import { SchemaValues } from '../src/fuzz/schema-values.ts';

const NAMED = { type: 'object', properties: { name: { type: 'string', maxLength: 5 } }, required: ['name'] } as const;
const jsonBody = (schema: object) => ({ content: { 'application/json': { schema } } });
const REFUSED = jsonBody({ type: 'object', required: ['error_key'], properties: { error_key: { type: 'string' } } });

/** A document with one operation. */
const DOCUMENT: ApiDocument = {
  paths: {
    '/things/{id}': {
      put: {
        operationId: 'change_thing',
        'x-served-at': ['region'],
        'x-callers': ['anyone'],
        parameters: [{ in: 'path', name: 'id', schema: { type: 'string' }, example: 'a' }],
        requestBody: jsonBody(NAMED),
        responses: { 200: jsonBody(NAMED), 404: REFUSED, '4XX': REFUSED },
      },
    },
  },
  components: { schemas: {}, responses: {} },
};

const CALLERS = {
  tokenOf: () => undefined,
  note: async () => undefined,
  renew: async () => undefined,
  renewals: 0,
  given: { password: 'the password' },
  prepared: [],
};
const GOOD = '{"name":"a"}';

describe('values that fit a schema', () => {
  it('are lists of a fixed length where it says so', () => {
    const pair = { type: 'array', prefixItems: [{ const: 'verify' }, { type: 'boolean' }], items: false } as const;
    const [value] = fc.sample(new SchemaValues({}, () => undefined).of(pair), { seed: 1, numRuns: 1 });

    expect(value).toEqual(['verify', expect.any(Boolean)]);
  });
});

describe('a fuzzer over an API document', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  const attacks = async (answer: RequestListener, document = DOCUMENT) => {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bases = { 'front-door': url, region: url, forwarder: url };
    return new Fuzzer(document, bases, CALLERS, { requests: 64, seed: 3 }).run();
  };
  const answering =
    (status: number, body: string, type = 'application/json'): RequestListener =>
    (request, response) => {
      request.resume();
      response.writeHead(status, body ? { 'content-type': type } : {}).end(body);
    };

  it('finds nothing when every answer is in the document', async () => {
    const { faults, requests, statuses, not_reached } = await attacks(answering(200, GOOD));

    expect({ faults, requests, statuses, not_reached }).toEqual({ faults: [], requests: 64, statuses: { 200: 64 }, not_reached: {} });
  });

  it.each<[string, RequestListener, RegExp]>([
    ['a 500', answering(500, '{"error_key":"service.unavailable"}'), /^500: /],
    ['a fault that nobody foresaw', answering(503, '{"error_key":"service.unavailable"}'), /^a fault that nobody foresaw: 503/],
    ['a status that is not in the document', answering(302, ''), /^302 is not in the document/],
    ['a shape that is not in the document', answering(200, '{"name":"longer"}'), /^200 does not fit the document: \/name/],
    ['a media type that is not in the document', answering(200, 'a', 'text/plain'), /^200 is text\/plain/],
    ['a stack trace', answering(400, '{"error_key":"request.invalid","error":"at read (/app/main.js:10)"}'), /^shows the inside/],
    ['a cut connection', (request) => void request.socket.destroy(), /^no answer$/],
  ])('finds %s, and keeps the request that showed it', async (_, answer, expected) => {
    const { faults } = await attacks(answer);

    expect(faults.map(({ fault }) => fault)).toContainEqual(expect.stringMatching(expected));
    expect(faults[0]!.request).toMatchObject({ method: 'PUT', caller: expect.any(String) });
  });

  it('sends ids that lists contain', async () => {
    const urls = new Set<string>();
    const answer: RequestListener = (request, response) => {
      request.resume();
      urls.add(request.url!);
      answering(200, '{"name":"a","thing_id":"thing_7"}')(request, response);
    };
    const list = { ...DOCUMENT.paths['/things/{id}']!.put!, operationId: 'list_things', parameters: [] };
    await attacks(answer, { ...DOCUMENT, paths: { '/things': { get: list }, ...DOCUMENT.paths } });

    expect([...urls]).toContain('/things/thing_7');
  });

  it('puts what the callers know into examples', async () => {
    const bodies = new Set<string>();
    const answer: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.add(Buffer.concat(chunks).toString('latin1'));
        response.writeHead(200, { 'content-type': 'application/json' }).end(GOOD);
      });
    };
    const { put } = DOCUMENT.paths['/things/{id}']!;
    const content = { 'application/json': { schema: NAMED, example: { name: 'a', password: 'of the document' } } };
    await attacks(answer, { ...DOCUMENT, paths: { '/things/{id}': { put: { ...put!, requestBody: { content } } } } });

    expect([...bodies]).toContain('{"name":"a","password":"the password"}');
  });

  it('chooses the same requests by the same seed', async () => {
    const wanted: string[][] = [[], []];
    for (const urls of wanted) {
      await attacks((request, response) => {
        urls.push(request.url!);
        answering(200, GOOD)(request, response);
      });
      server!.close();
    }

    expect(wanted[0]!.toSorted()).toEqual(wanted[1]!.toSorted());
  });

  it('finds no fault of the platform in a few hundred requests @spec D1-7', async () => {
    const nats = JSON.parse(requiredVariable('CODASE_TEST_NATS_SERVER')) as NatsServer;
    const servers = { postgresUrl: requiredVariable('CODASE_TEST_POSTGRES_URL'), nats, durable: false };
    const result = await fuzz({ nats, servers, processes: 'one', requests: 600, seed: 11 });

    expect(result.faults).toEqual([]);
    expect(result.requests).toBeGreaterThanOrEqual(600);
    expect(result.operations - Object.keys(result.not_reached).length).toBeGreaterThan(10);
  });
});

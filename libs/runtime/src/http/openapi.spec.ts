import { Validator } from '@seriousme/openapi-schema-validator';
import { connections, endpoint, ENDPOINTS, feed, NAMED_SHAPES, Sealed, webhooks, type Endpoint } from '@codase/contracts';
import { z } from 'zod';
import { openapi } from './openapi.ts';

const FRONT_DOOR = { url: 'http://127.0.0.1:4000', description: 'Front door' };
const REGION = { url: 'http://127.0.0.1:4001', description: 'Region eu' };
const INFO = {
  title: 'Company Data Service',
  version: '0.1.0',
  description: 'Of a test',
  servers: { 'front-door': [FRONT_DOOR], region: [REGION] },
};
const document = openapi(ENDPOINTS, INFO);
interface Operation {
  responses: Record<string, { description: string }>;
}
const operation = ({ path, method }: Endpoint) => document.paths[path]![method.toLowerCase()] as Operation;

describe('the OpenAPI document', () => {
  it('is valid for an independent validator, and contains every endpoint', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));

    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    for (const contract of ENDPOINTS) expect(operation(contract)).toMatchObject({ operationId: contract.name, tags: [contract.tag] });
  });

  it('refers only to named schemas that exist', () => {
    const text = JSON.stringify(document);
    const referred = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));

    expect([...referred].filter((name) => !Object.hasOwn(document.components.schemas, name!))).toEqual([]);
    expect(text).not.toContain('$defs');
    expect([...referred]).toEqual(
      expect.arrayContaining(['Refusal', 'Sealed', 'Run', 'FlowDefinition', 'Expr', 'Condition', 'Webhook', 'FeedEvent']),
    );
  });

  it('shows the request, the response, the callers and the refusals of an operation', () => {
    expect(operation(webhooks.createWebhook)).toMatchObject({
      security: [{ bearer: [] }, { client_credentials: [] }, { authorization_code: [] }],
      servers: [REGION],
      'x-callers': ['account', 'portal'],
      'x-capabilities': ['service_management'],
      parameters: [{ in: 'path', name: 'id', required: true, example: 'a3f7c2d9' }],
      requestBody: { content: { 'application/json': { example: { url: 'https://hooks.acme.example/codase' } } } },
      responses: {
        201: { content: { 'application/json': { example: { hmac_secret: '••••c9Q4' } }, 'application/xml': {} } },
        400: { description: expect.stringContaining('services.webhook_url_invalid') },
      },
    });
  });

  it('warns that a drain without a lease cannot distinguish unread events from delivered ones @gap D1-4.3', () => {
    const { description, parameters } = operation(feed.drainChanges) as unknown as {
      description: string;
      parameters: { name: string; description?: string }[];
    };

    expect(description).toMatch(/never read .* cannot be told apart from one that was delivered/s);
    expect(description).toContain('To be sure, drain with a lease');
    expect(parameters.map(({ name, description: said }) => [name, said])).toEqual([
      ['webhook_id', expect.stringContaining('this webhook')],
      ['lease', expect.stringContaining('Deletes nothing until it is acknowledged')],
    ]);
  });

  it('shows the response schemas and the digest header of a binary answer', () => {
    expect(operation(connections.readSlotFile)).toMatchObject({
      responses: {
        200: {
          content: { 'application/json': { schema: { anyOf: [{}, {}] } }, '*/*': { schema: { format: 'binary' } } },
          headers: { 'X-Platform-Content-Sha256': {} },
        },
      },
    });
  });

  it('shows both statuses of a refusal key that has two', () => {
    const { responses } = operation(connections.requestConnection);

    expect(
      [responses['400']!.description, responses['403']!.description].every((text) => text.includes('company_connections.persons_only')),
    ).toBe(true);
  });

  it('declares no content for a 204 response', () => {
    expect(operation(connections.endConnection)).toMatchObject({ responses: { 204: { description: connections.endConnection.summary } } });
    expect(operation(connections.endConnection)).not.toHaveProperty('responses.204.content');
  });

  it('refuses one name for two different schemas', () => {
    const ambiguous = z.object({ sealed: Sealed.optional(), count: z.int().default(1) });
    NAMED_SHAPES.add(ambiguous, { id: 'Ambiguous' });
    const contract = endpoint('odd', 'POST /odd', {
      at: ['region'],
      spec: 'D1-4',
      summary: 'Odd',
      description: 'Odd in a test',
      callers: ['anyone'],
      body: ambiguous,
      result: ambiguous,
      refusals: [],
    });

    expect(() => openapi([contract], INFO)).toThrow('The shape Ambiguous is sent in one form');
  });
});

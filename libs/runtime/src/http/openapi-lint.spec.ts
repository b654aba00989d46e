import { createConfig, lintFromString } from '@redocly/openapi-core';
import { ENDPOINTS } from '@codase/contracts';
import { spawnSync } from 'node:child_process';
import { RE2JS } from 're2js';
import { openapi } from './openapi.ts';

const server = (url: string) => [{ url, description: `At ${url}` }];
const document = openapi(ENDPOINTS, {
  title: 'Company Data Service',
  version: '1',
  description: 'All of it',
  servers: {
    'front-door': server('https://front.example'),
    region: server('https://eu.example'),
    forwarder: server('https://out.example'),
  },
});

interface Documented {
  description?: string;
}
interface Operation extends Documented {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: (Documented & { name: string })[];
  responses: Record<string, Documented & { $ref?: string; content?: Record<string, { schema: unknown }> }>;
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Operation[]);

/** Every pattern of the document, once. */
function patternsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'pattern' in part && typeof part.pattern === 'string' ? [part.pattern] : [];
  return [...new Set([...own, ...Object.values(part).flatMap(patternsIn)])];
}

describe('the linted OpenAPI document', () => {
  it('breaks no enabled lint rule of redocly', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'operation-description': 'error',
        'parameter-description': 'error',
        'tag-description': 'error',
        'operation-4xx-response': 'error',
        'operation-operationId-unique': 'error',
        'no-unused-components': 'error',
        // The paths are those of the specification, and a redirect is an answer too.
        'no-ambiguous-paths': 'off',
        'operation-2xx-response': 'off',
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });

    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
  });

  it('has a summary, a description, a cost and an existing tag for every operation', () => {
    const chapters = new Set<string>(document.tags.map(({ name }) => name));
    const isWhole = ({ summary, description = '', tags }: Operation) =>
      summary.length > 0 && /[^\s]{3,}[\s\S]*\n\nCost: /.test(description) && tags.length === 1 && chapters.has(tags[0]!);

    expect(operations.filter((operation) => !isWhole(operation)).map(({ operationId }) => operationId)).toEqual([]);
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
  });

  it('has exactly one success status for every operation', () => {
    const answers = ({ responses }: Operation) => Object.keys(responses).filter((status) => /^[23]\d\d$/.test(status));

    expect(operations.filter((operation) => answers(operation).length !== 1).map(({ operationId }) => operationId)).toEqual([]);
  });

  it('explains every refusal and uses the refusal schema for it', () => {
    const shared = document.components.responses as Operation['responses'];
    const resolve = (response: Operation['responses'][string]) => (response.$ref ? shared[response.$ref.split('/').pop()!]! : response);
    const refused = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status >= '4')
        .map(([status, response]) => ({ at: `${operationId} ${status}`, ...resolve(response) })),
    );

    const isExplained = ({ description, content }: Documented & Operation['responses'][string]) =>
      /^- `[a-z0-9_.]+`: ./.test(description!) && JSON.stringify(content).includes('#/components/schemas/Refusal');
    expect(refused.filter((response) => !isExplained(response)).map(({ at }) => at)).toEqual([]);
  });

  it('declares the extra members and headers of 401, 421, 429 and 503 responses', () => {
    expect(document.components.responses).toMatchObject({
      'region.rebase_required': { content: { 'application/json': { schema: { allOf: [{}, { required: ['api_url'] }] } } } },
      'rate_limit.exceeded': { headers: { 'Retry-After': { schema: { type: 'integer' } } } },
      'platform.out_of_order-db.writes_paused': { headers: { 'Retry-After': {} }, description: expect.stringContaining('30 seconds') },
      'auth.token_invalid': { headers: { 'WWW-Authenticate': {} } },
    });
  });

  it('declares the OAuth flows with their URLs', () => {
    expect(document.components.securitySchemes).toMatchObject({
      client_credentials: { flows: { clientCredentials: { tokenUrl: 'https://front.example/oauth2/token' } } },
      authorization_code: {
        description: expect.stringContaining('PKCE'),
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://front.example/oauth2/authorize',
            tokenUrl: 'https://front.example/oauth2/token',
          },
        },
      },
    });
  });
});

describe('the regular expressions of the OpenAPI document', () => {
  const patterns = patternsIn(document);
  /** What engines lack or read in different ways: look-around, classes by name, back references, Unicode escapes, long repetitions. */
  const UNPORTABLE = /\(\?[=!<]|\\[pPdDwWbBukcgGAzZ1-9]|\{\d{4,}|,\d{4,}\}/;
  // Replaces the pattern for any character, with which zod writes "the rest" of a template.
  const withoutAny = (pattern: string) => pattern.replaceAll('[\\s\\S]', '.');

  it('use only syntax that all regex engines support', () => {
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => UNPORTABLE.test(withoutAny(pattern)) || /\\[sS]/.test(withoutAny(pattern)))).toEqual([]);
    expect(['(?=a)', '\\p{Cs}', '\\d', '\\w+', '\\u0000', 'a{1,4096}', '(a)\\1'].filter((pattern) => !UNPORTABLE.test(pattern))).toEqual(
      [],
    );
  });

  it('compile with RE2', () => {
    expect(() => patterns.forEach((pattern) => RE2JS.compile(pattern))).not.toThrow();
    expect(() => RE2JS.compile('^(?=a)')).toThrow('invalid');
  });

  it('compile with Python where python3 is installed', () => {
    const script = 'import json, re, sys\nfor pattern in json.load(sys.stdin): re.compile(pattern)';
    const { error, status, stderr } = spawnSync('python3', ['-c', script], { input: JSON.stringify(patterns), encoding: 'utf8' });

    expect(error ? 'no python3 on this machine' : `${status} ${stderr}`).toMatch(/^0 $|^no python3/);
  });
});

import { ENDPOINTS } from './endpoints.ts';
import { PARAMETER_SAMPLES } from './core/samples.ts';
import { EXAMPLES } from './examples.ts';
import type { Endpoint } from './core/endpoint.ts';
import { RawFile } from './core/file.ts';
import { isOauth, names } from './laws.check.ts';

const all = ENDPOINTS.map((e) => [e.name, e] as const);
const strict = all.filter(([, e]) => !isOauth(e));
const isStructured = ({ produces, result }: Endpoint) =>
  produces !== 'redirect' && produces !== 'page' && result !== RawFile && !result.safeParse(undefined).success;

const isStructuredBody = ({ body, consumes }: Endpoint) => body !== undefined && consumes !== 'file';

const parametersOf = (path: string) => [...path.matchAll(/{(\w+)}/g)].map(([, name]) => name!);
const sampleParams = (path: string) => Object.fromEntries(parametersOf(path).map((name) => [name, PARAMETER_SAMPLES[name]]));

describe('the example of an endpoint', () => {
  it('exists exactly for the endpoints that take or return structured data', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(names((e) => e.query !== undefined || isStructuredBody(e) || isStructured(e)).sort());
    expect(names((e) => isStructured(e) !== (EXAMPLES[e.name]?.result !== undefined))).toEqual([]);
  });

  it.each(all)('matches all shapes of %s without losing a member', (name, e) => {
    const given: Record<string, unknown> = { ...(e.params && { params: sampleParams(e.path) }), ...EXAMPLES[name] };
    const parse = (part: string) => e[part as 'body']!.parse(given[part]);

    expect(Object.fromEntries(Object.keys(given).map((part) => [part, parse(part)]))).toMatchObject(given);
  });

  it.each(strict.filter(([, e]) => isStructuredBody(e)))('is rejected with an additional body member: %s', (name, { body }) => {
    expect(body!.safeParse({ ...(EXAMPLES[name]!.body as object), company_user_id: 'user_other' }).success).toBe(false);
  });

  it.each(strict.filter(([, { query }]) => query))('is rejected with an unknown query parameter: %s', (name, { query }) => {
    expect(query!.safeParse({ ...EXAMPLES[name]!.query, webhookid: 'hook_31f8' }).success).toBe(false);
  });
});

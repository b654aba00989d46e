import { ENDPOINTS } from './endpoints.ts';
import { z } from 'zod';
import { type Endpoint, AUTHENTICATED } from './core/endpoint.ts';
import { ANYWHERE, type ErrorKey, ERRORS, isErrorKey } from './core/errors.ts';
import { UPLOAD_CHARS } from './core/limits.ts';
import { isOauth, names, twice } from './laws.check.ts';

const declares = ({ refusals }: Endpoint, ...wanted: ErrorKey[]) => wanted.every((key) => refusals.includes(key));

describe('the refusals of an endpoint', () => {
  it('are declared once and include none that every route has', () => {
    expect(ENDPOINTS.flatMap(({ name, refusals }) => twice(refusals).map((key) => `${name} ${key}`))).toEqual([]);
    expect(names(({ refusals }) => refusals.some((key) => (ANYWHERE as readonly ErrorKey[]).includes(key)))).toEqual([]);
  });

  it('include every error key that its fields name', () => {
    const named = ({ params, query, headers, body }: Endpoint) =>
      [params, query, headers, body].flatMap((part) => (part ? namedRefusals(part) : []));
    const anywhere: readonly ErrorKey[] = ANYWHERE;
    const undeclared = (e: Endpoint) =>
      named(e)
        .filter((key) => ![...anywhere, ...e.refusals].includes(key))
        .map((key) => `${e.name} ${key}`);

    expect(ENDPOINTS.flatMap(undeclared)).toEqual([]);
  });

  it('include a malformed request exactly where it reads a query, headers or a body', () => {
    const saysSo = (e: Endpoint) => declares(e, isOauth(e) ? 'oauth.invalid_request' : 'request.invalid');

    const reads = ({ query, headers, body }: Endpoint) => [query, headers, body].some((part) => part !== undefined);

    expect(names((e) => saysSo(e) !== reads(e))).toEqual([]);
  });

  it('include token, base and region errors wherever a token is required @spec D1-7 @gap D1-4.1', () => {
    const ofToken = AUTHENTICATED.filter((key) => key !== 'platform.out_of_order');
    // Sessions and devices are rows of the front door, and can be ended in any state of a region.
    const isOfFrontDoor = ({ path }: Endpoint) => /^\/api\/(account\/sessions|app\/devices)/.test(path);
    const faultsOf = (e: Endpoint) => (isOfFrontDoor(e) ? ofToken : AUTHENTICATED);

    expect(names((e) => !e.callers.includes('anyone') && !declares(e, ...faultsOf(e)))).toEqual([]);
  });

  it('include db.writes_paused on writes and drains, except token, session, device, verification and forwarder calls @spec D1-7 @gap D1-7', () => {
    const isDrain = ({ name }: Endpoint) => ['drain_changes', 'drain_customer_changes'].includes(name);
    const isOfSessions = ({ name }: Endpoint) =>
      ['issue_token', 'continue_sign_in', 'revoke_token', 'end_session', 'end_all_sessions', 'rename_device', 'remove_device'].includes(
        name,
      );
    const isVerification = ({ consumes }: Endpoint) => consumes === 'file'; // a PDF that is verified, and kept nowhere
    const goesOn = (e: Endpoint) => isOfSessions(e) || isVerification(e) || e.at.includes('forwarder');

    expect(names((e) => declares(e, 'db.writes_paused') !== ((e.method !== 'GET' || isDrain(e)) && !goesOn(e)))).toEqual([]);
  });

  it('use every platform key of the catalogue at least once', () => {
    const used = new Set<string>([...ANYWHERE, ...ENDPOINTS.flatMap(({ refusals }) => refusals)]);
    const isOfTheSuite = (key: string) => /^(decryptor|feed_consumer|gateway)\.|^flows\.(start_conflict|name_ambiguous|turn_)/.test(key);

    expect(Object.keys(ERRORS).filter((key) => !used.has(key) && !isOfTheSuite(key))).toEqual([]);
  });
});

const TOO_LONG = 'x'.repeat(UPLOAD_CHARS + 1);

interface Definition {
  error?: (issue: object) => unknown;
}

/** Every error key that a shape, or a shape within it, names for a failure. Reads zod's definitions, since no input reaches all of them. */
function namedRefusals(shape: z.ZodType): ErrorKey[] {
  const found = new Set<ErrorKey>();
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof z.core.$ZodType || value instanceof z.core.$ZodCheck) readDefinition(value._zod.def as Definition);
    else Object.values(value).forEach(visit);
  };
  const readDefinition = ({ error, ...parts }: Definition): void => {
    for (const input of [undefined, '', TOO_LONG]) {
      const message = error?.({ input });
      if (isErrorKey(message)) found.add(message);
    }
    Object.values(parts).forEach(visit);
  };
  visit(shape);
  return [...found];
}

it('namedRefusals finds the keys of nested shapes, checks and computed messages', () => {
  const error = ({ input }: { input?: unknown }) => (input === TOO_LONG ? 'documents.too_large' : undefined);
  const list = z.array(z.string().min(1, { error: 'flows.answer_invalid' }));

  const shape = z.object({ list, either: z.union([z.number(), z.boolean()], { error }) });

  expect(namedRefusals(shape)).toEqual(['flows.answer_invalid', 'documents.too_large']);
});

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as contracts from '@codase/contracts';
import { asyncapi } from '@codase/runtime/asyncapi';
import { Ajv } from 'ajv';
import { ROOT } from '../command/root.ts';
import { ASYNCAPI_FILE, asyncapiText } from './asyncapi-file.ts';

const SCHEMA = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json');
const document = asyncapi();
const messages = Object.keys(document.components.messages);
const { SUITE_SUBJECTS } = contracts;

/** The sources of the apps, to see what they answer and publish. */
const sources = readdirSync(join(ROOT, 'apps'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[^/]+\/src\/.*(?<!\.spec)\.ts$/.test(file))
  .map((file) => readFileSync(join(ROOT, 'apps', file), 'utf8'));
const nameOf = (subject: contracts.Subject) => Object.entries(contracts).find(([, value]) => value === subject)![0];

describe("the AsyncAPI document of the suite's bus", () => {
  it('is equal to the file in docs', () => {
    expect(readFileSync(join(ROOT, ASYNCAPI_FILE), 'utf8') === asyncapiText()).toBe(true); // to update: npm run asyncapi -- --write
  });

  it('is valid by the schema of AsyncAPI 3.0', () => {
    // The schema brings the seventh draft of JSON Schema with it, so ajv must not.
    const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });
    const validate = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object);

    expect([validate(document), validate.errors ?? []]).toEqual([true, []]);
    expect(validate({ ...document, operations: { x: { action: 'shout', channel: { $ref: '#/channels/feed' } } } })).toBe(false);
  });

  it('contains no broken reference', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
    const at = (path: string) =>
      path.split('/').reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);

    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((path) => at(path) === undefined)).toEqual([]);
  });

  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  it.each(messages)('contains an example that is valid by the schema of its message: %s', (name) => {
    const validate = ajv.getSchema(`document#/components/messages/${name}/payload`)!;
    const { examples } = document.components.messages[name]!;

    expect(examples.map(({ payload }) => [payload === undefined, validate(payload), validate.errors ?? null])).toEqual([
      [false, true, null],
    ]);
  });

  it.each(Object.entries(SUITE_SUBJECTS))('contains examples that are valid for the subject: %s', (_name, { subject, message, reply }) => {
    expect(subject.message.safeParse(message).success).toBe(true);
    expect(subject.reply?.safeParse(reply).success ?? true).toBe(true);
  });

  it('contains every subject of the suite, and every operation of the gateway', () => {
    const isSubject = (value: unknown): value is contracts.Subject => typeof value === 'object' && value !== null && 'pattern' in value;
    const ofSuite = Object.values<unknown>(contracts)
      .filter(isSubject)
      .filter(({ pattern }) => !/^codase\.(clock|front-door|operator|peer|region)/.test(pattern));
    const addresses = new Set(Object.values(document.channels).map(({ address }) => address));
    const operations = contracts.ENDPOINTS.filter(contracts.isDataOperation).map((contract) => contracts.operation(contract));

    expect(ofSuite.length).toBeGreaterThan(12);
    expect([...ofSuite, ...operations].map(({ pattern }) => pattern).filter((pattern) => !addresses.has(pattern))).toEqual([]);
  });

  it('marks exactly the subjects that no app uses yet as planned', () => {
    const unknown = Object.entries(SUITE_SUBJECTS).filter(([, { subject, app }]) => {
      const word = new RegExp(`\\b${nameOf(subject)}\\b`);
      return app !== 'every app' && !sources.some((text) => word.test(text));
    });
    const planned = Object.entries(SUITE_SUBJECTS).filter(([, { planned }]) => planned);
    expect(unknown.map(([name]) => name)).toEqual(planned.map(([name]) => name));
  });
});

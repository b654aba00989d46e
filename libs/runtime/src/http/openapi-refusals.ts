import {
  ANYWHERE,
  ERROR_EXTRAS,
  ERRORS,
  retryAdvice,
  statusesOf,
  WRITES,
  type ErrorExtras,
  type ErrorKey,
  type RetryAdvice,
} from '@codase/contracts';
import type { NamedShapes, Schema } from '../named-shapes.ts';

/** The body of every refusal. */
export const REFUSAL: Schema = {
  type: 'object',
  description: 'Why a call was refused. Programs branch on `error_key`; `error` is for those who read logs.',
  required: ['error', 'error_key'],
  properties: {
    error: { type: 'string', description: "What is wrong and how to mend it; at `/oauth2/token` OAuth's own code" },
    error_key: { type: 'string', enum: Object.keys(ERRORS), description: 'The kind of refusal; it does not change between versions' },
    error_description: { type: 'string', description: 'At `/oauth2/token`: what is wrong and how to mend it' },
  },
};

/** What a caller does after a refusal, when its message does not say it. */
const ADVICE: Record<RetryAdvice['retry'], string> = {
  never: '',
  later: ' Nothing was done: repeat the same call later.',
  in_doubt: ' It may have taken effect: repeat only what does no harm twice.',
  when_mended: ' Repeating it alone does not help.',
  when_changed: ' Repeating it alone does not help.',
};

function explain(key: ErrorKey): string {
  const { retry, seconds } = retryAdvice(key);
  const message = ERRORS[key][1];
  const advice = retry === 'later' && message.includes('repeat') ? '' : ADVICE[retry];
  return `- \`${key}\`: ${message}.${advice}${seconds === undefined ? '' : ` Retry-After is ${seconds} seconds.`}`;
}

const RETRY_AFTER = { description: 'Seconds after which the same call may be repeated', schema: { type: 'integer', minimum: 0 } };
const WWW_AUTHENTICATE = {
  description: '`Bearer` and `DPoP` where a token is wanted, `Basic` where a client did not prove itself',
  schema: { type: 'string' },
};

function headersOf(status: number, keys: readonly ErrorKey[]): Schema {
  const mayBeRepeated = (status === 429 || status === 503) && keys.some((key) => ['later', 'in_doubt'].includes(retryAdvice(key).retry));
  return { ...(mayBeRepeated && { 'Retry-After': RETRY_AFTER }), ...(status === 401 && { 'WWW-Authenticate': WWW_AUTHENTICATE }) };
}

const hasExtras = (key: ErrorKey): key is keyof ErrorExtras => Object.hasOwn(ERROR_EXTRAS, key);

/** The schema of a refusal, with the members that its keys bring. The members are required when no other key shares the status. */
function bodyOf(keys: readonly ErrorKey[], shapes: NamedShapes): Schema {
  const refusal = { $ref: '#/components/schemas/Refusal' };
  const extras = keys.filter(hasExtras).map((key) => shapes.schemaOf(ERROR_EXTRAS[key], 'input'));
  if (extras.length === 0) return refusal;
  const properties = Object.assign({}, ...extras.map((extra) => extra['properties'] as Schema)) as Schema;
  return { allOf: [refusal, { type: 'object', properties, ...(keys.length === 1 && { required: Object.keys(properties) }) }] };
}

function describeRefusal(status: number, keys: readonly ErrorKey[], shapes: NamedShapes) {
  const schema = bodyOf(keys, shapes);
  const headers = headersOf(status, keys);
  return {
    description: keys.map(explain).join('\n'),
    ...(Object.keys(headers).length && { headers }),
    content: { 'application/json': { schema }, 'application/xml': { schema } },
  };
}

/** Refusals that most operations share. A response that consists only of these is written once and referred to. */
const EVERYWHERE = new Set<ErrorKey>([...WRITES, ...ANYWHERE]);

/** The responses of refusals. */
export class RefusalResponses {
  /** The responses that operations refer to, by name. */
  readonly shared: Record<string, unknown> = {};

  constructor(private readonly shapes: NamedShapes) {}

  /** One response per status, which explains the keys that it may carry. A status that is not listed is one that any route may answer. */
  of(keys: readonly ErrorKey[]): Record<string, unknown> {
    const statuses = [...new Set(keys.flatMap(statusesOf))].sort((a, b) => a - b);
    const keysOf = (status: number) => keys.filter((key) => statusesOf(key).includes(status));
    return {
      ...Object.fromEntries(statuses.map((status) => [status, this.response(status, keysOf(status))])),
      '4XX': this.response(
        400,
        ANYWHERE.filter((key) => statusesOf(key)[0]! < 500),
        'any_route',
      ),
      '5XX': this.response(
        503,
        ANYWHERE.filter((key) => statusesOf(key)[0]! >= 500),
        'any_route_later',
      ),
    };
  }

  private response(status: number, keys: readonly ErrorKey[], name = keys.join('-')): unknown {
    if (!keys.every((key) => EVERYWHERE.has(key))) return describeRefusal(status, keys, this.shapes);
    this.shared[name] ??= describeRefusal(status, keys, this.shapes);
    return { $ref: `#/components/responses/${name}` };
  }
}

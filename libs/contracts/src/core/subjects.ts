import { z } from 'zod';

type Params<S extends string> = S extends `${string}{${infer P}}${infer Rest}` ? P | Params<Rest> : never;
/** One value for each parameter of a pattern. */
export type Values<P extends string> = { [K in Params<P>]: string };

export interface Subject<P extends string = string, M extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  pattern: P;
  /** The stream that keeps its messages; absent for request and reply. */
  stream?: string;
  message: M;
  /** The shape of the answer; absent for events. */
  reply?: R;
  /** Set for a request that may come twice without changing more than one would. */
  idempotent?: Idempotent;
  /**
   * The member of the answer that travels as bytes, when both sides support it. A long text in JSON would be written and read several
   * times.
   */
  bytes?: string;
}

/**
 * `at_once`: a repeat may come while the first request is in work, as with a read. `costly`: the same, but the repeat comes later and only
 * once, since each request costs much. `in_turn`: a repeat may come when the time of the first request is over; the service that works on
 * the first one gives it up then, so that nothing happens after a refusal.
 */
export type Idempotent = 'at_once' | 'costly' | 'in_turn';

/** Declares a NATS subject: its pattern, its stream (absent for request and reply) and the shapes that travel on it. */
export const subject = <const P extends string, M extends z.ZodType, R extends z.ZodType = z.ZodUndefined>(
  pattern: P,
  shapes: { stream?: string; message: M; reply?: R; idempotent?: Idempotent | undefined },
): Subject<P, M, R> => ({ pattern, ...shapes });

/** Returns the same subject, marked as a request that may come twice. */
export const idempotent = <S extends Subject>(subject: S, how: Idempotent = 'at_once'): S => ({ ...subject, idempotent: how });

/** Returns the same subject, with a member of its answer that is a `LongText`. */
export const withBytes = <S extends Subject>(subject: S, bytes: string): S => ({ ...subject, bytes });

/** A text as its bytes in UTF-8. In JSON it is a string. */
export const LongText = z.union([
  z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  z.string().transform((text): Uint8Array => new TextEncoder().encode(text)),
]);

/** Returns the concrete subject to publish on. */
export const at = <P extends string>({ pattern }: { pattern: P }, values: Values<P>): string =>
  pattern.replace(/{(\w+)}/g, (_, name: string) => token((values as Record<string, string>)[name]));

/** Returns the filter of a subscription or consumer. A value that is left out becomes a wildcard. */
export const filter = <P extends string>({ pattern }: { pattern: P }, values: Partial<Values<P>> = {}): string =>
  pattern.replace(/{(\w+)}/g, (_, name: string) => (Object.hasOwn(values, name) ? token((values as Record<string, string>)[name]) : '*'));

/** Returns the values that a concrete subject has for the parameters of the pattern; undefined when it does not fit. */
export function valuesOf<P extends string>({ pattern }: { pattern: P }, concrete: string): Values<P> | undefined {
  const patternTokens = pattern.split('.');
  const tokens = concrete.split('.');
  if (patternTokens.length !== tokens.length) return undefined;
  const values: Record<string, string> = {};
  for (let i = 0; i < patternTokens.length; i++) {
    const token = patternTokens[i]!;
    if (token.startsWith('{')) values[token.slice(1, -1)] = tokens[i]!;
    else if (token !== tokens[i]) return undefined;
  }
  return values as Values<P>;
}

/** Whether a filter matches everything that another filter or a concrete subject matches. */
export function covers(wide: string, narrow: string): boolean {
  const [wideTokens, tokens] = [wide.split('.'), narrow.split('.')];
  const endless = wideTokens.at(-1) === '>';
  if (endless ? tokens.length < wideTokens.length : tokens.length !== wideTokens.length) return false;
  return wideTokens.every((token, i) => token === '>' || token === tokens[i] || (token === '*' && tokens[i] !== '>'));
}

/** Returns the value as one token of a subject. A value must not add levels or wildcards to a subject. */
function token(value: string | undefined): string {
  if (value === undefined || !/^[A-Za-z0-9_-]+$/.test(value)) throw new Error(`not a subject token: ${JSON.stringify(value)}`);
  return value;
}

/** Header of a request: how many milliseconds the caller waits. The service that answers may use that time and no more. */
export const TIMEOUT_HEADER = 'codase-timeout-ms';

/**
 * Every service answers its state, for the operator's status command. It also answers the ids of the keys it has read, the key that writes
 * first, for the commands that rotate keys.
 */
export const STATUS = subject('codase.status.v1.{name}', {
  message: z.strictObject({}),
  reply: z.object({
    name: z.string(),
    ready: z.boolean(),
    checks: z.record(z.string(), z.string()),
    started_at: z.string(),
    keys: z.record(z.string(), z.array(z.string())).optional(),
  }),
});

/** Messages a consumer gave up on, kept for an operator with the reason in the headers. */
export const PARKED = subject('codase.parked.v1.{consumer}', { stream: 'PARKED', message: z.unknown() });

/** Returns the subject on which the server repeats each row that is stored in a bucket, for those who follow the table. */
export const tableChanges = (bucket: string): string => `codase.changed.v1.${bucket}.>`;

/** Development only: moves the clock of every process of a service that follows it. */
export const CLOCK_MOVED = subject('codase.clock.v1.{name}', {
  message: z.strictObject({ offset_ms: z.number().int() }),
  reply: z.strictObject({ offset_ms: z.number().int() }),
});

import { retryAdvice } from './core/errors.ts';
import { documents, tablesWith } from './core/spec-tables.check.ts';
import * as limits from './index.ts';

const { KEY_WRAP, PHONE_DIGITS, CARD_DIGITS, DECIMAL_DIGITS } = limits;

/** The numbers behind each row of the specification's tables. */
const NUMBERS: Record<string, readonly (number | undefined)[]> = {
  'Access token lifetime': [limits.ACCESS_TOKEN_SECONDS],
  'Pull feed retention': [limits.FEED_RETENTION_DAYS],
  'Webhook grace before probe': [limits.WEBHOOK_GRACE_MINUTES],
  'Webhook backlog purge': [limits.WEBHOOK_BACKLOG_DAYS],
  'Account client purpose': [1, limits.PURPOSE_CHARS],
  'Plugin token': [1, limits.PLUGIN_TOKEN_CHARS],
  'Phone digits': [PHONE_DIGITS.least, PHONE_DIGITS.most],
  'Card digits': [CARD_DIGITS.least, CARD_DIGITS.most],
  'Decimal type shape': [DECIMAL_DIGITS.whole, DECIMAL_DIGITS.fraction],
  'Retry-After': [retryAdvice('db.writes_paused').seconds, retryAdvice('platform.out_of_order').seconds],
  'One-time key': [limits.ONE_TIME_KEY_BYTES, limits.ENVELOPE.iv_bytes, limits.ENVELOPE.tag_bytes],
  'Expression nesting (constants, defaults, bounds)': [limits.EXPRESSION_LEVELS],
  'Plugin calls': [limits.PLUGIN_CALLS_PER_MINUTE],
  'Run data retention': [limits.RUN_RETENTION_DAYS.without_flows, limits.RUN_RETENTION_DAYS.free],
};

describe('limits @spec D1-8 @spec D2-8', () => {
  it('allow the largest document, sealed and encoded twice, within the upload budget', () => {
    const document = limits.DOCUMENT_MAX_MB * 1024 * 1024;

    expect(limits.UPLOAD_CHARS).toBeGreaterThan(document * (4 / 3) * (4 / 3));
    expect(limits.UPLOAD_BODY_BYTES).toBeGreaterThan(limits.UPLOAD_CHARS);
  });

  it('throttle the connections list more than other data and the change feed less', () => {
    expect(limits.RATE_LIMITS.connections.per_second).toBeLessThan(limits.RATE_LIMITS.data.per_second);
    expect(limits.RATE_LIMITS.changes.per_second).toBeGreaterThan(limits.RATE_LIMITS.connections.per_second);
    expect(limits.RATE_LIMITS.token.by).toBe('address');
  });

  it('wrap private keys with the parameters of the specification', () => {
    expect(KEY_WRAP).toEqual({ iterations: 100_000, salt_bytes: 16, iv_bytes: 12 });
  });
});

if (documents) {
  const rows = [documents.D1, documents.D2].flatMap((text) => tablesWith('Limit', text));
  /** The numbers that stand for themselves, without those of a pattern or of a name such as SHA256. */
  const numbersIn = (value: string) => (value.replace(/\[.*?\]|\{.*?\}/g, '').match(/(?<![\w/-])\d+(?![\w/])/g) ?? []).map(Number);

  it.each(Object.entries(NUMBERS))('limits equal the numbers of the specification: %s', (limit, numbers) => {
    expect(numbersIn(rows.find(({ Limit }) => Limit === limit)!['Value']!)).toEqual(numbers);
  });
}

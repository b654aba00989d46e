import * as contracts from '@codase/contracts';
import { tablesWith } from './document-tables.ts';
import { specDocuments, type SpecDocuments } from './documents.ts';

const { CARD_DIGITS, DECIMAL_DIGITS, PHONE_DIGITS, retryAdvice } = contracts;

/** The numbers behind each row of the specification's tables of limits. */
const NUMBERS: Record<string, readonly (number | undefined)[]> = {
  'Access token lifetime': [contracts.ACCESS_TOKEN_SECONDS],
  'Pull feed retention': [contracts.FEED_RETENTION_DAYS],
  'Webhook grace before probe': [contracts.WEBHOOK_GRACE_MINUTES],
  'Webhook backlog purge': [contracts.WEBHOOK_BACKLOG_DAYS],
  'Account client purpose': [1, contracts.PURPOSE_CHARS],
  'Plugin token': [1, contracts.PLUGIN_TOKEN_CHARS],
  'Phone digits': [PHONE_DIGITS.least, PHONE_DIGITS.most],
  'Card digits': [CARD_DIGITS.least, CARD_DIGITS.most],
  'Decimal type shape': [DECIMAL_DIGITS.whole, DECIMAL_DIGITS.fraction],
  'Retry-After': [retryAdvice('db.writes_paused').seconds, retryAdvice('platform.out_of_order').seconds],
  'One-time key': [contracts.ONE_TIME_KEY_BYTES, contracts.ENVELOPE.iv_bytes, contracts.ENVELOPE.tag_bytes],
  'Expression nesting (constants, defaults, bounds)': [contracts.EXPRESSION_LEVELS],
  'Plugin calls': [contracts.PLUGIN_CALLS_PER_MINUTE],
  'Run data retention': [contracts.RUN_RETENTION_DAYS.without_flows, contracts.RUN_RETENTION_DAYS.free],
};

/** The numbers that stand for themselves, without those of a pattern or of a name such as SHA256. */
const numbersIn = (value: string) => (value.replace(/\[.*?\]|\{.*?\}/g, '').match(/(?<![\w/-])\d+(?![\w/])/g) ?? []).map(Number);

/** The statuses that a row shows. The specification leaves the status of one row open. @gap D1-7 */
const statusesIn = (http: string) => (http === 'error' ? [409] : http.split(' or ').map(Number));

function compareWith({ D1, D2 }: SpecDocuments) {
  const limits = [D1, D2].flatMap((text) => tablesWith('Limit', text));

  it.each(Object.entries(NUMBERS))('have the number of the limit "%s" @spec D1-8 @spec D2-8', (limit, numbers) => {
    expect(numbersIn(limits.find(({ Limit }) => Limit === limit)!['Value']!)).toEqual(numbers);
  });

  it('have the keys and statuses of the tables of errors @spec D1-7 @spec D2-7', () => {
    const rows = [D1, D2].flatMap((text) => tablesWith('error_key', text)).filter(({ HTTP }) => HTTP !== undefined);
    const named = rows.flatMap(({ error_key, HTTP }) => error_key!.split(' or ').map((key) => [key, statusesIn(HTTP!)] as const));
    const ours = Object.keys(contracts.SPEC_ERRORS).map((key) => [key, contracts.statusesOf(key as contracts.ErrorKey)]);

    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(named));
  });

  it('have the keys and severities of the table of publishing findings @spec D2-7', () => {
    const rows = tablesWith('Severity', D2);

    expect(rows.length).toBeGreaterThan(20);
    expect(contracts.SPEC_FINDINGS).toEqual(Object.fromEntries(rows.map(({ error_key, Severity }) => [error_key, Severity])));
  });

  it('have the whitelists, pattern for pattern @spec D1-5.7 @spec D1-5.8', () => {
    const groups = Object.fromEntries(
      tablesWith('Group', D1).map(({ Group, Patterns }) => [Group, Patterns!.replaceAll(' (exact)', '').split(', ')]),
    );

    expect(tablesWith('Pattern', D1).map(({ Pattern }) => Pattern)).toEqual(contracts.SERVICE_PATTERNS);
    expect(groups).toEqual({ 'always-on baseline': contracts.ACCOUNT_BASELINE, ...contracts.CAPABILITY_PATTERNS });
    expect(/Never grantable[^:]*: (.+)\./.exec(D1)?.[1]?.split(', ')).toEqual(contracts.NEVER_GRANTABLE);
  });

  it('have the kinds of feed events @spec D1-6.1', () => {
    const named = tablesWith('event', D1).flatMap(({ event: names }) => names!.split(', '));

    expect([...contracts.EventName.options].sort()).toEqual(named.sort());
    expect(tablesWith('event', D2).map(({ event: name }) => name)).toEqual(['flow_run_turn', 'flow_completed']);
  });
}

const documents = specDocuments();
if (documents) {
  describe('the contracts, compared with the specification documents', () => {
    compareWith(documents);
  });
}

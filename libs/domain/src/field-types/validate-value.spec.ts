import fc from 'fast-check';
import { fieldTypes } from './field-types.ts';
import { TEXT_CHARS } from './limits.ts';
import { REASONS, type Verdict } from './reasons.ts';
import { entry, row } from './row.ts';
import { SYSTEM_ROWS } from './system-rows.ts';
import { validateValue } from './validate-value.ts';

const types = fieldTypes(SYSTEM_ROWS);
const verdict = (type: string, value: unknown, options?: string[]) => validateValue(types, type, value, options);
const code = (given: Verdict) => (given.ok ? 'ok' : given.reason.code);
const where = (given: Verdict) => (given.ok ? 'ok' : `${given.reason.path} ${given.reason.code}`);

const data = (mime: string, text: string) => ({
  file: `data:${mime};base64,${Buffer.from(text).toString('base64')}`,
  original_name: 'scan',
  mime_type: mime,
  size: text.length,
});
const page = data('image/gif', 'GIF89a\x01\0\x01\0');

describe('validation of a value by its input @spec D1-2.5', () => {
  it.each([
    ['text', 'anything at all'],
    ['text', ' '],
    ['text', 'x'.repeat(TEXT_CHARS)],
    ['date', '2024-02-29'],
    ['gender', 'female'],
    ['country', 'DE'],
    ['nationality', 'DE'],
    ['phone', '+49 30 901820'],
    ['email', 'a.b@mail.example.com'],
    ['place_of_birth', 'Ely, GB'],
    ['photo', page],
    ['document', data('text/plain', 'hello')],
    ['pdf_document', data('application/pdf', '%PDF-1.7')],
    ['passport', { pages: [page, page], document_number: 'C01X', expiry_date: '2031-01-01', issuing_country: 'DE', holder_name: 'Erika' }],
    ['legal_document', { pages: [page] }],
    ['address', { street: '1 Main St', city: 'Ely', country: 'GB' }],
    ['bank', { holder: 'Erika', iban: 'DE02120300000000202051', bic: 'BYLADEM1001' }],
  ])('accepts for %s the value %j', (type, value) => {
    expect(verdict(type, value)).toEqual({ ok: true, normalised: value });
  });

  it.each([
    ['text', 7, 'not_text'],
    ['text', ['a'], 'not_text'],
    ['text', 'x'.repeat(TEXT_CHARS + 1), 'too_long'],
    ['text', 'a\0b', 'not_characters'],
    ['text', 'a\ud83d', 'not_characters'],
    ['phone', '\udf32', 'not_characters'],
    ['date', '2023-02-29', 'not_a_date'],
    ['date', 20230228, 'not_text'],
    ['date_of_birth', '1.1.2000', 'not_a_date'],
    ['gender', 'Female', 'not_an_option'],
    ['country', 'XK', 'not_a_country'],
    ['nationality', 'German', 'not_a_country'],
    ['phone', '12', 'not_a_phone'],
    ['email', 'a@b', 'mismatch'],
    ['email', 'a@b@c.de', 'mismatch'],
    ['address', 'Main St', 'not_an_object'],
    ['address', ['Main St'], 'not_an_object'],
    ['photo', 'data:', 'not_an_object'],
    ['passport', [page], 'not_an_object'],
  ])('rejects for %s the value %j with the code %s', (type, value, expected) => {
    expect(code(verdict(type, value))).toBe(expected);
  });

  it.each([
    ['photo', { ...data('text/plain', 'x') }, 'file not_an_image'],
    ['document', { ...page, size: 7 }, 'file not_a_file'],
    ['pdf_document', page, ' not_a_pdf'],
    ['passport', {}, 'ok'],
    ['passport', { document_number: 'C01X' }, 'pages not_pages'],
    ['passport', { pages: [page, { ...page, original_name: '' }] }, 'pages.1.original_name not_a_file_name'],
    ['passport', { pages: [page], expiry_date: 'soon' }, 'expiry_date not_a_date'],
    ['passport', { pages: [page], issuing_country: 'UK' }, 'issuing_country not_a_country'],
    ['address', { street: '1 Main St', city: 'Ely', country: 'Ely' }, 'country not_a_country'],
    ['address', { street: '1 Main St', city: 'Ely', country: 'US', state: 'ny' }, 'state not_a_state'],
    ['address', { street: '1 Main St', city: 'Ely' }, 'country missing'],
    ['address', { street: '', city: 'Ely', country: 'GB' }, 'street missing'],
    ['address', { street: 'a', city: 'b', country: 'GB', planet: 'c' }, ' unknown_key'],
    ['address', JSON.parse('{"street":"a","city":"b","country":"GB","__proto__":"c"}'), ' unknown_key'],
    ['creditcard', { number: '4111 1111 1111 1112', expiry: '12/30' }, 'number not_a_card'],
    ['creditcard', { number: '4111 1111 1111 1111', expiry: '13/30' }, 'expiry mismatch'],
    ['creditcard', { number: 4111, expiry: '12/30' }, 'number not_text'],
    ['bank', { holder: 'Erika', iban: 'DE02 1203' }, 'iban mismatch'],
    ['bank', { holder: 'Erika', bic: 'BYLA' }, 'bic mismatch'],
    ['bank', { holder: 'Erika', account_number: '12-34', bank_code: '12030000' }, 'account_number mismatch'],
    ['bank', { holder: 'Erika', account_number: '1234', bank_code: '12 03' }, 'bank_code mismatch'],
    ['bank', { holder: 'Erika', account_number: '1234', bank_code: '12030000' }, 'ok'],
  ])('reports for %s and the value %j the result %s', (type, value, expected) => {
    expect(where(verdict(type, value))).toBe(expected);
  });

  it('keeps unknown metadata of an envelope, so that a descendant fits a parent slot @gap D1-2.5', () => {
    const value = { ...page, taken_on: '2024-01-01' };
    expect(verdict('photo', value)).toEqual({ ok: true, normalised: value });
  });

  it('requires the metadata that the type of an envelope requires', () => {
    const scans = fieldTypes([row('scan', null, { input: 'file', lane: 'document', fields: [entry('by', { required: true })] })]);

    expect(where(validateValue(scans, 'scan', page))).toBe('by missing');
    expect(where(validateValue(scans, 'scan', { ...page, by: 'Erika' }))).toBe('ok');
  });
});

describe('validation of a choice @spec D1-2.5', () => {
  const choices = fieldTypes([row('colours', null, { input: 'multilist', options: ['red', 'green', 'blue'] })]);

  it('accepts each option of a multiple choice at most once', () => {
    expect(validateValue(choices, 'colours', ['blue', 'red'])).toEqual({ ok: true, normalised: ['blue', 'red'] });
    expect(where(validateValue(choices, 'colours', 'red'))).toBe(' not_a_list');
    expect(where(validateValue(choices, 'colours', ['red', 'pink']))).toBe('1 not_an_option');
    expect(where(validateValue(choices, 'colours', ['red', 7]))).toBe('1 not_an_option');
    expect(where(validateValue(choices, 'colours', ['red', 'blue', 'red']))).toBe('2 repeated');
  });

  it('uses the options of the step when the type has none, and rejects any value without a step @spec D2-4.2', () => {
    expect(code(verdict('select', 'a', ['a', 'b']))).toBe('ok');
    expect(code(verdict('select', 'c', ['a', 'b']))).toBe('not_an_option');
    expect(code(verdict('select', 'a'))).toBe('not_an_option');
    expect(code(verdict('multiselect', ['b', 'a'], ['a', 'b']))).toBe('ok');
    expect(code(verdict('multiselect', ['a']))).toBe('not_an_option');
  });

  it('uses the options of the type rather than those of the step', () => {
    expect(code(verdict('gender', 'female', ['a']))).toBe('ok');
    expect(code(verdict('gender', 'a', ['a']))).toBe('not_an_option');
  });
});

describe('validation of a value with a check @spec D1-2.5', () => {
  it.each([
    ['url', 'example.com', 'https://example.com'],
    ['number', ' 1e3 ', '1e3'],
    ['integer', ' 7', '7'],
    ['decimal', '7.50 ', '7.50'],
    ['float', ' 7.5e1', '7.5e1'],
  ])('normalises for %s the value %j to %j', (type, value, normalised) => {
    expect(verdict(type, value)).toEqual({ ok: true, normalised });
  });

  it.each([
    ['url', 'ftp://x', 'not_a_url'],
    ['number', 'x', 'not_a_number'],
    ['integer', '7.5', 'not_an_integer'],
    ['decimal', '7.555', 'not_a_decimal'],
    ['float', '7.', 'not_a_float'],
  ])('rejects for %s the value %j with the code %s', (type, value, expected) => {
    expect(code(verdict(type, value))).toBe(expected);
  });

  it('normalises a checked field inside a composite and leaves the other fields unchanged', () => {
    const given = { number: '4111 1111 1111 1111', expiry: '12/30', holder: '' };
    expect(verdict('creditcard', given)).toEqual({ ok: true, normalised: { ...given, number: '4111111111111111' } });
    expect(given.number).toBe('4111 1111 1111 1111');
  });
});

describe('the order of validation rules @spec D1-2.5', () => {
  const family = fieldTypes([
    row('root', null, { input: 'line', validation: '[0-9]*' }),
    row('middle', 'root', { check: 'integer', validation: '[0-5]*' }),
    row('leaf', 'middle', { validation: '[0-2]*' }),
    row('dated', 'root', { input: 'date' }),
    row('group', null, {
      input: 'composite',
      fields: [entry('a', { required: true }), entry('b', { input: 'date' }), entry('c', { check: 'integer', validation: '[0-2]*' })],
    }),
  ]);
  const judged = (type: string, value: unknown) => validateValue(family, type, value);

  it('is input, check, then every regex from the root', () => {
    expect(judged('leaf', 7)).toMatchObject({ reason: { code: 'not_text' } });
    expect(judged('leaf', 'x')).toMatchObject({ reason: { code: 'not_an_integer' } });
    expect(judged('leaf', '-1')).toMatchObject({ reason: { code: 'mismatch', message: 'must match the pattern of root' } });
    expect(judged('leaf', '7')).toMatchObject({ reason: { code: 'mismatch', message: 'must match the pattern of middle' } });
    expect(judged('leaf', '4')).toMatchObject({ reason: { code: 'mismatch', message: 'must match the pattern of leaf' } });
    expect(judged('leaf', '2')).toEqual({ ok: true, normalised: '2' });
    expect(judged('dated', 'x')).toMatchObject({ reason: { code: 'not_a_date' } });
    expect(judged('dated', '2024-01-01')).toMatchObject({ reason: { code: 'mismatch' } });
  });

  it('passes the normalised value of the check to the regexes', () => {
    expect(judged('leaf', '  21 ')).toEqual({ ok: true, normalised: '21' });
    expect(judged('root', ' 21')).toMatchObject({ reason: { code: 'mismatch' } });
  });

  it('puts the fields of a composite last, in the order of their declaration', () => {
    expect(where(judged('group', { b: 'x', c: 'x', d: 1 }))).toBe(' unknown_key');
    expect(where(judged('group', { b: 'x', c: 'x' }))).toBe('a missing');
    expect(where(judged('group', { a: 'a', b: 'x', c: 'x' }))).toBe('b not_a_date');
    expect(where(judged('group', { a: 'a', c: 'x' }))).toBe('c not_an_integer');
    expect(where(judged('group', { a: 'a', c: '9' }))).toBe('c mismatch');
    expect(judged('group', { a: 'a', b: null, c: ' 1 ' })).toEqual({ ok: true, normalised: { a: 'a', b: null, c: '1' } });
  });

  it('applies regexes only to strings @gap D1-2.5', () => {
    const lists = fieldTypes([row('l', null, { input: 'multilist', options: ['a'], validation: 'b' })]);
    expect(code(validateValue(lists, 'l', ['a']))).toBe('ok');
  });
});

describe('validation of any value', () => {
  const everyType = [...SYSTEM_ROWS.map(({ type }) => type), 'unheard_of', 'plugin'];

  it.each(everyType)('accepts an empty value of type %s @spec D1-2.5', (type) => {
    for (const empty of [null, undefined, '', [], {}]) expect(verdict(type, empty)).toEqual({ ok: true, normalised: empty });
  });

  it('accepts any value of an unregistered type @spec D1-2.5', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(verdict('unheard_of', value)).toEqual({ ok: true, normalised: value })));
  });

  it('accepts for the type plugin only a string that contains a JSON object @spec D1-2.5', () => {
    expect(verdict('plugin', '{"plugin":"x"}')).toEqual({ ok: true, normalised: '{"plugin":"x"}' });
    const others = ['[]', '7', 'null', '{', { plugin: 'x' }, ['{"plugin":"x"}']];
    for (const value of others) expect(code(verdict('plugin', value))).toBe('not_a_plugin_answer');
  });

  it('is idempotent on normalised values', () => {
    const written = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(' 12 ', '1.50', 'example.com', '4111-1111 1111-1111', '+49 30 1234', '2024-02-29', 'DE', 'a@b.de', '1e5'),
      fc.record({ number: fc.constantFrom('4111 1111 1111 1111', 'x'), expiry: fc.constantFrom('12/30', '') }),
      fc.string({ unit: fc.constantFrom('1', '0', '-', '.', ' ', 'e'), maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...everyType), written, (type, value) => {
        const first = verdict(type, value);
        expect(verdict(type, first.ok ? first.normalised : value)).toEqual(first);
      }),
      { numRuns: 1500 },
    );
  });

  it('accepts only values that, once normalised, match the regex of every ancestor @spec D1-2.5', () => {
    const sources = [null, '[0-9]*', '[0-5]*', '[0-2]*', '[1-9][0-9]*', '.{0,3}'];
    const link = fc.record({ validation: fc.constantFrom(...sources), check: fc.constantFrom(null, null, 'integer' as const) });
    const chains = fc.array(link, { minLength: 1, maxLength: 5 });
    const value = fc.string({ unit: fc.constantFrom('0', '1', '3', ' '), maxLength: 4 });
    let valid = 0;
    fc.assert(
      fc.property(chains, value, (chain, given) => {
        const rows = chain.map((own, i) => row(`t${i}`, i === 0 ? null : `t${i - 1}`, { input: 'line', ...own }));
        const answer = validateValue(fieldTypes(rows), rows.at(-1)!.type, given);
        if (!answer.ok || given === '') return;
        valid += 1;
        for (const { validation } of rows) expect(answer.normalised).toMatch(new RegExp(`^(?:${validation ?? '.*'})$`));
      }),
      { numRuns: 500 },
    );
    expect(valid).toBeGreaterThan(50);
  });

  it('accepts an ID document in the slot of every ancestor type @spec D1-2.5', () => {
    const value = { pages: [page], document_number: 'C01X', holder_name: 'Erika' };
    for (const slot of ['passport', 'proof_of_identity', 'legal_document']) expect(code(verdict(slot, value))).toBe('ok');
  });
});

it('validation reasons never contain the value', () => {
  expect(Object.values(REASONS).every((message) => /^must \S/.test(message))).toBe(true);
  expect(JSON.stringify(verdict('address', { 'Erika Mustermann': 1 }))).not.toContain('Erika');
});

import { entry, row, type FieldEntry, type FieldTypeRow } from './row.ts';
import { rowFindings, soundRows } from './row-findings.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

const root = (own: Partial<FieldTypeRow> = {}) => row('text', null, { input: 'line', ...own });
const composite = (...fields: FieldEntry[]) => row('address', null, { input: 'composite', fields });
const messages = (...rows: FieldTypeRow[]) => rowFindings(rows).map(({ message }) => message);

describe('the rows of a registry @spec D1-2.5', () => {
  it('are sound as the platform ships them', () => {
    expect(rowFindings(SYSTEM_ROWS)).toEqual([]);
  });

  it('name the row and how to mend it', () => {
    expect(rowFindings([row('passport', 'id')])).toEqual([
      { type: 'passport', message: 'field type "passport" names the parent "id", which has no row: add it or correct the name' },
    ]);
  });

  it('may not take the name plugin', () => {
    expect(messages(row('plugin', null, { input: 'line' }))).toEqual([expect.stringContaining('"plugin" is reserved')]);
  });

  it('may not share a type', () => {
    expect(messages(root(), root())).toEqual([expect.stringContaining('"text" has several rows')]);
  });

  it('may not run in a circle', () => {
    expect(messages(row('a', 'b'), row('b', 'a'), row('below', 'a'), root())).toEqual(
      ['a', 'b', 'below'].map((type) => `field type "${type}" has ancestors that run in a circle: let one of them be a root`),
    );
    expect(messages(row('a', 'a', { input: 'line' }))).toEqual([expect.stringContaining('circle')]);
  });

  it('say what is wrong with the tree before anything else', () => {
    expect(messages(root({ input: null }), row('a', 'b'))).toEqual([expect.stringContaining('no row')]);
  });

  it("need an input, their own or an ancestor's", () => {
    expect(messages(root(), row('a', 'text'))).toEqual([]);
    expect(messages(root({ input: null }), row('a', 'text'))).toEqual([
      expect.stringContaining('"text" has no known input: set one of line, date, '),
      expect.stringContaining('"a" has no known input'),
    ]);
    expect(messages(root({ input: 'rating' as 'line' }))).toEqual([expect.stringContaining('no known input')]);
  });

  it.each([
    ['line', 'photo', 'inline'],
    ['composite', 'document', 'inline'],
    ['file', 'inline', 'photo or document'],
    ['file', null, 'photo or document'],
    ['pages', 'photo', 'document'],
    ['pages', null, 'document'],
  ] as const)('cannot be %s on the lane %s', (input, lane, lanes) => {
    expect(messages(row('a', null, { input, lane, fields: input === 'line' ? null : [entry('x')] }))).toEqual([
      `field type "a" cannot be "${input}" on its lane: set the lane to ${lanes}`,
    ]);
  });

  it.each([
    ['line', null],
    ['line', 'inline'],
    ['multilist', 'inline'],
    ['file', 'photo'],
    ['file', 'document'],
    ['pages', 'document'],
  ] as const)('can be %s on the lane %s', (input, lane) => {
    expect(messages(row('a', null, { input, lane }))).toEqual([]);
  });

  it('inherit the lane they are judged by', () => {
    expect(messages(row('a', null, { input: 'file', lane: 'photo' }), row('b', 'a', { input: 'line' }))).toEqual([
      expect.stringContaining('"b" cannot be "line" on its lane'),
    ]);
  });

  it.each([
    ['file', 'url'],
    ['multilist', 'number'],
    ['line', 'pdf'],
  ] as const)('cannot be %s with the check %s', (input, check) => {
    const lane = input === 'file' ? 'document' : null;
    expect(messages(row('a', null, { input, lane, check }))).toEqual([
      `field type "a" cannot have the check "${check}" as "${input}": change one of them`,
    ]);
  });

  it.each(['line', 'date', 'list', 'country', 'nationality', 'state', 'phone'] as const)('can be %s with a check for text', (input) => {
    expect(messages(root({ input, check: 'integer' }))).toEqual([]);
  });

  it('know their checks', () => {
    expect(messages(root({ check: 'iban' as 'url' }))).toEqual([
      'field type "text" has an unknown check: set one of url, card, number, integer, decimal, float, pdf',
    ]);
  });

  it('have fields when composite, and only where they can be held', () => {
    expect(messages(composite())).toEqual([expect.stringContaining('"address" is composite but declares no fields')]);
    expect(messages(row('address', null, { input: 'composite' }))).toEqual([expect.stringContaining('declares no fields')]);
    expect(messages(root({ fields: [entry('a')] }))).toEqual([
      'field type "text" cannot hold fields as "line": make it composite, file, pages or leave them out',
    ]);
    expect(messages(composite(entry('a')), row('below', 'address'))).toEqual([]);
  });

  it('carry only regexes that are safe', () => {
    expect(messages(root({ validation: '(?:(?:a{50}){50}){50}' }), row('below', 'text', { validation: 'a' }))).toEqual([
      expect.stringMatching(/^field type "text" has a validation that repeats too often/),
    ]);
  });
});

describe('a sub-field of a row @spec D1-2.5', () => {
  it('is named in what is found about it', () => {
    expect(messages(composite(entry('street', { validation: '(' })))).toEqual([
      expect.stringMatching(/^field type "address" has the field "street", which has a validation that is no regular expression: /),
    ]);
  });

  it('has a key of its own', () => {
    expect(messages(composite(entry('a'), entry('b'), entry('a')))).toEqual([expect.stringContaining('"a", which is called like another')]);
    expect(messages(composite(entry('size')))).toEqual([]);
  });

  it.each([
    ['file', 'mime_type'],
    ['file', 'size'],
    ['pages', 'pages'],
  ] as const)('beside a %s is not called %s', (input, key) => {
    expect(messages(row('scan', null, { input, lane: 'document', fields: [entry(key), entry('taken_on')] }))).toEqual([
      expect.stringContaining(`"${key}", which is called like another, or like a member of the envelope`),
    ]);
  });

  it.each(['composite', 'file', 'pages', 'rating'])('cannot be %s', (input) => {
    expect(messages(composite(entry('a', { input: input as 'line' })))).toEqual([expect.stringContaining('"a", which has no input')]);
  });

  it('has a check that goes with its input', () => {
    expect(messages(composite(entry('a', { check: 'card' })))).toEqual([]);
    expect(messages(composite(entry('a', { check: 'pdf' })))).toEqual([expect.stringContaining('"a", which cannot have the check "pdf"')]);
  });

  it('is looked at once, where it is declared', () => {
    expect(messages(composite(entry('a', { check: 'pdf' })), row('below', 'address'))).toHaveLength(1);
  });
});

describe('rows that another server sent @spec D1-9', () => {
  it('are used as far as they are sound', () => {
    const rows = [
      root(),
      row('rating', null, { input: 'stars' as 'line' }),
      row('movie_rating', 'rating', { input: 'line' }),
      row('email', 'text'),
      row('lost', 'nowhere'),
    ];

    expect(soundRows(rows).map(({ type }) => type)).toEqual(['text', 'email']);
    expect(soundRows(SYSTEM_ROWS)).toBe(SYSTEM_ROWS);
  });
});

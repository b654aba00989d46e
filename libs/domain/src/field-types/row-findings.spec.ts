import { entry, row, type FieldEntry, type FieldTypeRow } from './row.ts';
import { rowFindings, soundRows } from './row-findings.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

const root = (own: Partial<FieldTypeRow> = {}) => row('text', null, { input: 'line', ...own });
const composite = (...fields: FieldEntry[]) => row('address', null, { input: 'composite', fields });
const messages = (...rows: FieldTypeRow[]) => rowFindings(rows).map(({ message }) => message);

describe('the findings about field type rows @spec D1-2.5', () => {
  it('are empty for the rows that the platform ships', () => {
    expect(rowFindings(SYSTEM_ROWS)).toEqual([]);
  });

  it('name the row and say how to fix it', () => {
    expect(rowFindings([row('passport', 'id')])).toEqual([
      { type: 'passport', message: 'field type "passport" names the parent "id", which has no row: add it or correct the name' },
    ]);
  });

  it('report a row that uses the reserved name plugin', () => {
    expect(messages(row('plugin', null, { input: 'line' }))).toEqual([expect.stringContaining('"plugin" is reserved')]);
  });

  it('report two rows with the same type', () => {
    expect(messages(root(), root())).toEqual([expect.stringContaining('"text" has several rows')]);
  });

  it('report ancestors that form a cycle', () => {
    expect(messages(row('a', 'b'), row('b', 'a'), row('below', 'a'), root())).toEqual(
      ['a', 'b', 'below'].map((type) => `field type "${type}" has ancestors that run in a circle: let one of them be a root`),
    );
    expect(messages(row('a', 'a', { input: 'line' }))).toEqual([expect.stringContaining('circle')]);
  });

  it('report faults of the tree before any other fault', () => {
    expect(messages(root({ input: null }), row('a', 'b'))).toEqual([expect.stringContaining('no row')]);
  });

  it('report a type without an input of its own or inherited', () => {
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
  ] as const)('report a row with input %s on the lane %s', (input, lane, lanes) => {
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
  ] as const)('are empty for a row with input %s on the lane %s', (input, lane) => {
    expect(messages(row('a', null, { input, lane }))).toEqual([]);
  });

  it('apply the inherited lane to a row', () => {
    expect(messages(row('a', null, { input: 'file', lane: 'photo' }), row('b', 'a', { input: 'line' }))).toEqual([
      expect.stringContaining('"b" cannot be "line" on its lane'),
    ]);
  });

  it.each([
    ['file', 'url'],
    ['multilist', 'number'],
    ['line', 'pdf'],
  ] as const)('report a row with input %s and the check %s', (input, check) => {
    const lane = input === 'file' ? 'document' : null;
    expect(messages(row('a', null, { input, lane, check }))).toEqual([
      `field type "a" cannot have the check "${check}" as "${input}": change one of them`,
    ]);
  });

  it.each(['line', 'date', 'list', 'country', 'nationality', 'state', 'phone'] as const)(
    'are empty for a row with input %s and a text check',
    (input) => {
      expect(messages(root({ input, check: 'integer' }))).toEqual([]);
    },
  );

  it('report an unknown check', () => {
    expect(messages(root({ check: 'iban' as 'url' }))).toEqual([
      'field type "text" has an unknown check: set one of url, card, number, integer, decimal, float, pdf',
    ]);
  });

  it('report a composite without fields, and fields on an input that cannot have them', () => {
    expect(messages(composite())).toEqual([expect.stringContaining('"address" is composite but declares no fields')]);
    expect(messages(row('address', null, { input: 'composite' }))).toEqual([expect.stringContaining('declares no fields')]);
    expect(messages(root({ fields: [entry('a')] }))).toEqual([
      'field type "text" cannot hold fields as "line": make it composite, file, pages or leave them out',
    ]);
    expect(messages(composite(entry('a')), row('below', 'address'))).toEqual([]);
  });

  it('report a regex that is unsafe', () => {
    expect(messages(root({ validation: '(?:(?:a{50}){50}){50}' }), row('below', 'text', { validation: 'a' }))).toEqual([
      expect.stringMatching(/^field type "text" has a validation that repeats too often/),
    ]);
  });
});

describe('the findings about a sub-field @spec D1-2.5', () => {
  it('name the sub-field', () => {
    expect(messages(composite(entry('street', { validation: '(' })))).toEqual([
      expect.stringMatching(/^field type "address" has the field "street", which has a validation that is no regular expression: /),
    ]);
  });

  it('report a key that another sub-field of the row has', () => {
    expect(messages(composite(entry('a'), entry('b'), entry('a')))).toEqual([expect.stringContaining('"a", which is called like another')]);
    expect(messages(composite(entry('size')))).toEqual([]);
  });

  it.each([
    ['file', 'mime_type'],
    ['file', 'size'],
    ['pages', 'pages'],
  ] as const)('report a sub-field beside a %s input with the reserved key %s', (input, key) => {
    expect(messages(row('scan', null, { input, lane: 'document', fields: [entry(key), entry('taken_on')] }))).toEqual([
      expect.stringContaining(`"${key}", which is called like another, or like a member of the envelope`),
    ]);
  });

  it.each(['composite', 'file', 'pages', 'rating'])('report a sub-field with the input %s', (input) => {
    expect(messages(composite(entry('a', { input: input as 'line' })))).toEqual([expect.stringContaining('"a", which has no input')]);
  });

  it('report a sub-field whose check does not fit its input', () => {
    expect(messages(composite(entry('a', { check: 'card' })))).toEqual([]);
    expect(messages(composite(entry('a', { check: 'pdf' })))).toEqual([expect.stringContaining('"a", which cannot have the check "pdf"')]);
  });

  it('appear only once, at the row that declares the sub-field', () => {
    expect(messages(composite(entry('a', { check: 'pdf' })), row('below', 'address'))).toHaveLength(1);
  });
});

describe('field type rows from another server @spec D1-9', () => {
  it('are used except for invalid rows and their descendants', () => {
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

import fc from 'fast-check';
import { compilePattern } from './pattern.ts';
import { fieldTypes, RegistryFault } from './field-types.ts';
import { rowFindings } from './row-findings.ts';
import { row, type Check } from './row.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

describe('the field type registry @spec D1-2.5', () => {
  const types = fieldTypes(SYSTEM_ROWS);

  it('inherits each column from the nearest ancestor that sets it', () => {
    const family = fieldTypes([
      row('a', null, { input: 'list', lane: 'inline', check: 'number', options: ['1'] }),
      row('b', 'a', { check: 'integer' }),
      row('c', 'b', { options: ['2', '3'] }),
      row('d', 'c', { input: 'line' }),
    ]);

    const own = { type: 'd', lineage: ['a', 'b', 'c', 'd'], input: 'line', entries: [], patterns: [] };
    expect(family.resolve('d')).toEqual({ ...own, lane: 'inline', check: 'integer', options: ['2', '3'] });
    expect(family.resolve('b')).toMatchObject({ input: 'list', check: 'integer', options: ['1'] });
  });

  it('combines the regexes of all ancestors, root first', () => {
    const family = fieldTypes([row('c', 'b', { validation: 'c' }), row('b', 'a'), row('a', null, { input: 'line', validation: 'a' })]);

    expect(family.resolve('c')?.patterns).toEqual([
      { of: 'a', regex: compilePattern('a') },
      { of: 'c', regex: compilePattern('c') },
    ]);
  });

  it('compiles the fields of a composite', () => {
    const [number, , expiry] = types.resolve('creditcard')!.entries;
    const shape = { input: 'line', lane: 'inline', check: 'card', options: null, entries: [], patterns: [] };

    expect(number).toEqual({ key: 'number', required: true, shape });
    expect(expiry?.shape.patterns).toEqual([{ of: 'expiry', regex: compilePattern('(?:0[1-9]|1[0-2])/[0-9]{2}') }]);
  });

  it('uses the inline lane for a type without a lane', () => {
    expect(fieldTypes([row('a', null, { input: 'line' })]).laneOf('a')).toBe('inline');
  });

  it('accepts a descendant type in the slot of its ancestor, but not the reverse', () => {
    expect(types.accepts('legal_document', 'passport')).toBe(true);
    expect(types.accepts('proof_of_identity', 'passport')).toBe(true);
    expect(types.accepts('passport', 'passport')).toBe(true);
    expect(types.accepts('passport', 'legal_document')).toBe(false);
    expect(types.accepts('passport', 'photo_id')).toBe(false);
    expect(types.accepts('text', 'passport')).toBe(false);
  });

  it('never counts a type as its own descendant', () => {
    expect(types.descends('passport', 'legal_document')).toBe(true);
    expect(types.descends('passport', 'passport')).toBe(false);
    expect(types.descends('unheard_of', 'text')).toBe(false);
  });

  it('treats an unregistered type as unknown', () => {
    expect(types.resolve('unheard_of')).toBeUndefined();
    expect(types.laneOf('unheard_of')).toBeUndefined();
    expect(types.isBinary('unheard_of')).toBe(false);
    expect(types.isRequestable('unheard_of')).toBe(false);
    expect(types.kindOf('unheard_of')).toBe('unknown');
    expect(types.resolve('toString')).toBeUndefined();
  });

  it('allows a request for a choice only when it has options @spec D2-4.2', () => {
    const choices = fieldTypes([
      row('a', null, { input: 'list', options: ['x'] }),
      row('b', null, { input: 'list', options: [] }),
      row('c', null, { input: 'multilist' }),
      row('d', null, { input: 'line' }),
    ]);

    expect(['a', 'b', 'c', 'd'].filter(choices.isRequestable)).toEqual(['a', 'd']);
  });

  it.each([
    ['text', 'text'],
    ['phone', 'text'],
    ['country', 'text'],
    ['url', 'text'],
    ['date_of_birth', 'date'],
    ['number', 'number'],
    ['integer', 'number'],
    ['decimal', 'number'],
    ['float', 'number'],
    ['gender', 'choice'],
    ['select', 'choice'],
    ['multiselect', 'multichoice'],
    ['address', 'composite'],
    ['photo', 'binary'],
    ['passport', 'binary'],
  ])('classifies %s as %s', (type, kind) => {
    expect(types.kindOf(type)).toBe(kind);
  });

  it('rejects invalid rows and reports all of their findings', () => {
    const build = () => fieldTypes([row('a', 'x'), row('b', 'y')]);

    expect(build).toThrow(RegistryFault);
    expect(build).toThrow(/"a" names the parent "x".*\n.*"b" names the parent "y"/);
    expect(build).toThrow(expect.objectContaining({ name: 'RegistryFault', findings: rowFindings([row('a', 'x'), row('b', 'y')]) }));
  });
});

/** Forests of text types: each row hangs below an earlier one, or is a root. */
const forests = fc
  .array(
    fc.record({
      below: fc.option(fc.nat(), { nil: null }),
      check: fc.constantFrom<(Check | null)[]>(null, null, 'integer', 'card'),
      validation: fc.constantFrom(null, null, 'a*', '[a-z]*', '.*', '[ab]+'),
      options: fc.constantFrom(null, ['a']),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drawn) =>
    drawn.map(({ below, ...own }, i) => {
      const isRoot = below === null || i === 0;
      return row(`t${i}`, isRoot ? null : `t${below % i}`, { ...own, input: isRoot ? 'line' : null });
    }),
  );

describe('any field type registry', () => {
  it('resolves to the same types in any order of its rows', () => {
    const shuffled = forests.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })));
    fc.assert(
      fc.property(shuffled, ([rows, mixed]) => {
        const [one, other] = [fieldTypes(rows), fieldTypes(mixed)];
        for (const { type } of rows) expect(other.resolve(type)).toEqual(one.resolve(type));
      }),
    );
  });

  it('resolves each type from its own row and its resolved parent', () => {
    fc.assert(
      fc.property(forests, (rows) => {
        const types = fieldTypes(rows);
        for (const own of rows) {
          const parent = own.parent === null ? undefined : types.resolve(own.parent);
          expect(types.resolve(own.type)).toMatchObject({
            check: own.check ?? parent?.check ?? null,
            options: own.options ?? parent?.options ?? null,
            lineage: [...(parent?.lineage ?? []), own.type],
            patterns: [...(parent?.patterns ?? []), ...(own.validation === null ? [] : [{ of: own.type }])],
          });
        }
      }),
    );
  });

  it('accepts in a slot exactly the slot type and its descendants', () => {
    fc.assert(
      fc.property(forests, (rows) => {
        const types = fieldTypes(rows);
        for (const slot of rows) {
          for (const field of rows) {
            const parentAccepts = field.parent !== null && types.accepts(slot.type, field.parent);
            expect(types.accepts(slot.type, field.type)).toBe(slot.type === field.type || parentAccepts);
          }
        }
      }),
    );
  });
});

import fc from 'fast-check';
import { branch, choose, concat, datediff, rental, lit, math, nested, ref, today } from '../rental-flow.check.ts';
import type { Condition, Definition } from './definition.ts';
import { LIMITS } from './limits.ts';
import { readDefinition } from './read-definition.ts';

type Change = (definition: Definition) => void;

const read = (value: unknown): Definition => {
  const reading = readDefinition(value);
  if (!reading.ok) throw new Error(reading.findings.map(({ where, message }) => `${where.path}: ${message}`).join('\n'));
  return reading.definition;
};
const faults = (value: unknown): string[] => {
  const reading = readDefinition(value);
  return reading.ok ? [] : reading.findings.map(({ where, message }) => `${where.path}: ${message}`);
};
const changed = (change: Change) => faults(rental(change));
const at =
  (path: string, value: unknown): Change =>
  (definition) => {
    const steps = path.split(/[.[\]]+/).filter(Boolean);
    const last = steps.pop()!;
    const target = steps.reduce<Record<string, unknown>>((object, step) => object[step] as Record<string, unknown>, definition as never);
    if (value === undefined) delete target[last];
    else target[last] = value;
  };
const deepCondition = (levels: number): Condition =>
  Array.from({ length: levels - 1 }).reduce<Condition>((inner) => ({ not: inner }), { field: 'rent', op: 'is_empty' });

describe('reading a flow definition @spec D2-2.2', () => {
  it('returns a copy of a valid definition', () => {
    const given = rental();
    const definition = read(given);
    expect(definition).toStrictEqual(given);
    expect(definition.nodes[0]).not.toBe(given.nodes[0]);
  });

  it('accepts every type of expression', () => {
    const all = choose(
      [branch({ field: 'name', op: 'is_not_empty' }, concat([lit('a'), lit(1), lit(true), lit(null)], '-')), branch({ and: [] }, today)],
      datediff('weeks', ref('born'), math('max', lit(1), lit(2))),
    );
    expect(read(rental(at('constants.0.expr', all))).constants[0]!.expr).toStrictEqual(all);
  });

  it('accepts missing constants, shown_on and plugin descriptions', () => {
    const definition = read(
      rental((d) => {
        at('constants[0].shown_on', undefined)(d);
        at('nodes.2.elements.1.plugin.snapshot', undefined)(d);
      }),
    );
    expect(definition.constants[0]!.shown_on).toEqual([]);
    expect(definition.nodes[2]!.elements[1]).toMatchObject({
      plugin: { snapshot: { plugin_name: '', host: '', label: '', blocks: [], inputs: [], outputs: [] } },
    });
    expect(read(rental(at('constants', undefined))).constants).toEqual([]);
  });

  const NAMES = 'Must match ^[A-Za-z][A-Za-z0-9_-]*$';
  const SCALARS = 'Must be a string, a number, a boolean or null';
  const OPS = 'Must be one of eq, ne, lt, lte, gt, gte, in, not_in, contains, is_empty, is_not_empty';
  const TYPES = 'Its type must be one of lit, ref, today, if, concat, datediff, math';

  const REFUSED: [path: string, value: unknown, fault: string, below?: string][] = [
    ['entry', undefined, 'Must be a string'],
    ['output_mode', 'paper', 'Must be one of data_only, document'],
    ['parties', [], 'Must not be empty'],
    ['parties', {}, 'Must be a list'],
    ['parties', Array.from({ length: 21 }, (_, i) => ({ key: `p${i}`, label: '' })), 'Must not hold more than 20 items'],
    ['parties[0].key', 'a.b', NAMES],
    ['parties[0].key', '__proto__', NAMES],
    ['parties[0].key', 'x'.repeat(65), 'Must not be longer than 64 characters'],
    ['parties[0].type', 'robot', 'Must be one of owner, person, company'],
    ['nodes', [], 'Must not be empty'],
    ['nodes[0].party', 5, 'Must be a string'],
    ['nodes[0].elements[0]', null, 'Must be an object'],
    ['nodes[0].elements[0]', [], 'Must be an object'],
    ['nodes[0].elements[0].required', undefined, 'Must be true or false'],
    ['nodes[0].elements[0].link', 'both', 'Must be one of connected, verified'],
    ['nodes[1].elements[0].text', 'x'.repeat(20_001), 'Must not be longer than 20000 characters'],
    ['nodes[2].elements[1].plugin.inputs', [], 'Must be an object'],
    ['nodes[2].elements[1].plugin.inputs', { born: 5 }, 'Must be a string', '.born'],
    ['nodes[2].elements[1].plugin.inputs', JSON.parse('{"__proto__": "born"}'), NAMES, '.__proto__'],
    ['nodes[2].elements[1].plugin.snapshot.blocks[0].kind', 'tree', 'Must be one of search_select, number, text, date, boolean'],
    ['nodes[3].output.documents[0].rules[0].languages', 'de', 'Must be a list'],
    ['nodes[3].output.documents[0].rules[1].signers[0].action', 'nod', 'Must be one of sign, accept'],
    ['edges[0].to', null, 'Must be a string'],
    ['edges[1].when', [], 'A condition must be an object'],
    ['edges[1].when', { op: 'is_empty' }, 'Must be a string', '.field'],
    ['edges[1].when', { field: 'use', op: 'like', value: 'x' }, OPS, '.op'],
    ['edges[1].when', { field: 'use', op: 'eq' }, 'The operator eq needs a value'],
    ['edges[1].when', { field: 'use', op: 'in', value: 'x' }, 'The operator in needs a list as its value'],
    ['edges[1].when', { field: 'use', op: 'not_in' }, 'The operator not_in needs a list as its value'],
    ['edges[1].when', { field: 'use', op: 'eq', value: { a: 1 } }, SCALARS, '.value'],
    ['edges[1].when', { field: 'use', op: 'eq', value: Infinity }, SCALARS, '.value'],
    ['edges[1].when', { field: 'use', op: 'in', value: [[]] }, SCALARS, '.value[0]'],
    ['edges[1].when', { and: [{ not: 5 }] }, 'A condition must be an object', '.and[0].not'],
    ['edges[1].when', { or: 5 }, 'Must be a list', '.or'],
    ['edges[1].when', { and: [], or: [] }, 'Unknown member "or"'],
    ['constants[0].result_type', 'money', 'Must be one of number, text, date, boolean'],
    ['constants[0].expr', null, 'Must be an object'],
    ['constants[0].expr', { type: 'eval' }, TYPES],
    ['constants[0].expr', { type: 'too_deep' }, TYPES],
    ['constants[0].expr', { type: 'toString' }, TYPES],
    ['constants[0].expr.op', 'pow', 'Must be one of add, sub, mul, div, mod, round, floor, ceil, abs, neg, max, min'],
    ['constants[0].expr', { type: 'if', cases: [] }, 'Must be an object', '.else'],
    ['constants[0].expr', { type: 'if', cases: [5], else: { type: 'today' } }, 'Must be an object', '.cases[0]'],
    ['constants[0].expr', { type: 'concat', parts: [], sep: 5 }, 'Must be a string', '.sep'],
    ['constants[0].expr', { type: 'lit', value_type: 'text' }, SCALARS, '.value'],
    ['constants[0].expr', { type: 'ref', key: 'x', other: 1 }, 'Unknown member "other"'],
  ];

  it.each(REFUSED.map(([path, value, fault, below = '']) => ({ path, value, expected: `${path}${below}: ${fault}` })))(
    'rejects $path = $value',
    ({ path, value, expected }) => {
      expect(changed(at(path, value))).toEqual([expected]);
    },
  );

  it.each<[string, object]>([
    ['a misspelt when', { from: 'a', to: 'b', whne: { field: 'x', op: 'is_empty' } }],
    ['a member every object has', JSON.parse('{"from": "a", "to": "b", "constructor": 1}') as object],
    ['a trap for prototypes', JSON.parse('{"from": "a", "to": "b", "__proto__": {"when": 1}}') as object],
  ])('rejects %s instead of ignoring it', (_what, edge) => {
    expect(changed(at('edges.0', edge))).toEqual([expect.stringMatching(/^edges\[0\]: Unknown member "(whne|constructor|__proto__)"$/)]);
  });

  it('ignores inherited properties', () => {
    const heir = Object.assign(Object.create({ to: 'b' }) as object, { from: 'a' });
    expect(changed(at('edges.0', heir))).toEqual(['edges[0].to: Must be a string']);
  });

  it.each<Condition>([
    { field: 'use', op: 'is_empty' },
    { field: 'use', op: 'is_not_empty' },
    { field: 'use', op: 'eq', value: null },
    { field: 'use', op: 'in', value: [] },
    { and: [{ or: [] }, { not: { field: 'firm.seat', op: 'not_in', value: ['a', 1, true, null] } }] },
  ])('accepts the condition %j', (condition) => {
    expect(read(rental(at('edges.0.when', condition))).edges[0]!.when).toEqual(condition);
  });

  it('accepts faults for which publishing has findings of its own', () => {
    const definition = read(
      rental((d) => {
        at('constants.0.key', 'Not a key')(d);
        at('nodes.0.elements.0', { kind: 'video', src: 'x' })(d);
        at('nodes.3.output.documents.0.rules.0.asset_key', undefined)(d);
      }),
    );
    expect(definition.constants[0]!.key).toBe('Not a key');
    expect(definition.nodes[0]!.elements[0]).toEqual({ kind: 'unknown', given: 'video' });
  });
});

describe('the limits of a flow definition @spec D2-8', () => {
  it('cut an expression after 64 levels', () => {
    const deepest = (levels: number) => JSON.stringify(read(rental(at('constants.0.expr', nested(levels)))).constants[0]!.expr);
    expect(deepest(64)).not.toContain('too_deep');
    expect(deepest(65)).toContain('too_deep');
    expect(deepest(50_000)).toBe(deepest(65));
  });

  it('reject a condition nested deeper than 64 levels', () => {
    expect(changed(at('edges.0.when', deepCondition(64)))).toEqual([]);
    expect(changed(at('edges.0.when', deepCondition(65)))).toEqual([expect.stringContaining('must not nest deeper than 64 levels')]);
    expect(changed(at('edges.0.when', deepCondition(10_000)))).toHaveLength(1);
  });

  it('reject a definition with too many values in a single finding', () => {
    const options = Array.from({ length: 500 }, (_, i) => `o${i}`);
    const choice = { kind: 'field' as const, label: '', type: 'select', required: false, options };
    const elements = Array.from({ length: 50 }, (_, i) => ({ ...choice, slug: `s${i}` }));
    expect(changed(at('nodes.0.elements', elements))).toEqual([expect.stringContaining('holds more than 20000 values: split the flow')]);
  });

  it('report at most one hundred faults', () => {
    const edges = Array.from({ length: 300 }, () => ({ from: 1, to: 2 }));
    expect(changed(at('edges', edges))).toHaveLength(LIMITS.faults);
  });

  it('apply to the members of a map', () => {
    const wired = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'born']));
    expect(changed(at('nodes.2.elements.1.plugin.inputs', wired(100)))).toEqual([]);
    expect(changed(at('nodes.2.elements.1.plugin.inputs', wired(101)))).toEqual([expect.stringContaining('more than 100 members')]);
  });

  it('include the maximum itself', () => {
    expect(changed(at('parties.0.label', 'x'.repeat(LIMITS.label)))).toEqual([]);
    expect(changed(at('parties.0.label', 'x'.repeat(LIMITS.label + 1)))).toHaveLength(1);
    const key = Array.from({ length: 3 }, () => 'x'.repeat(LIMITS.name)).join('.'); // a block's pick, the longest there is
    expect(changed(at('edges.0.when', { field: key, op: 'is_empty' }))).toEqual([]);
    expect(changed(at('edges.0.when', { field: `${key}x`, op: 'is_empty' }))).toHaveLength(1);
  });

  it('truncate input that a finding or an unknown element repeats', () => {
    const long = 'k'.repeat(1000);
    expect(changed(at(`edges.0.${long}`, 1))).toEqual([`edges[0]: Unknown member "${'k'.repeat(LIMITS.name)}"`]);
    const [element] = read(rental(at('nodes.0.elements.0', { kind: long }))).nodes[0]!.elements;
    expect(element).toEqual({ kind: 'unknown', given: 'k'.repeat(LIMITS.name) });
  });
});

describe('reading an arbitrary definition', () => {
  it('never throws, rejects random values and returns its own result unchanged', () => {
    const any = fc.jsonValue();
    const nearly = fc.record({ entry: fc.string(), output_mode: fc.constant('document'), parties: any, nodes: any, edges: any });
    const junk = fc.oneof(any, nearly);
    fc.assert(
      fc.property(junk, (value) => {
        expect(readDefinition(value).ok).toBe(false);
      }),
    );
    expect(read(read(rental()))).toEqual(read(rental()));
  });

  it('never throws when one value of a definition is replaced', () => {
    const paths = Object.keys(flatten(rental()));
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        expect(() => readDefinition(rental(at(path, value)))).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

function flatten(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return { [path]: value };
  const parts = Object.entries(value).map(([key, each]) => flatten(each, path ? `${path}.${key}` : key));
  return Object.assign({}, ...parts) as Record<string, unknown>;
}

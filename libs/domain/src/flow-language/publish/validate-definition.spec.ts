import type { Definition } from '../definition/definition.ts';
import { FINDINGS } from '../definition/finding.ts';
import { constant, rental, rentalContext, lit, math, nodeOf, ref, REGISTER } from '../rental-flow.check.ts';
import { copySnapshots } from './copy-snapshots.ts';
import { add, all, found, nothing, set, wire } from './findings.check.ts';
import { isPublishable, validateDefinition } from './validate-definition.ts';

describe('publishing a flow @spec D2-7', () => {
  it('finds nothing wrong with the lease', () => {
    expect(found(nothing)).toEqual([]);
  });

  it('is blocked by an error, not by a warning', () => {
    const warnings = found(add(constant('c', 'number', lit(1), [])));
    const errors = found(add(constant('C', 'number', lit(1))));

    const message = 'The constant c is used nowhere: remove it or show it';
    expect(warnings).toEqual([{ key: 'constant.unused', severity: 'warning', where: { constant: 'c' }, message }]);
    expect(isPublishable(warnings)).toBe(true);
    expect(isPublishable([...warnings, ...errors])).toBe(false);
  });

  it('answers everything it finds at once', () => {
    const broken = constant('C', 'text', math('add', ref('nothing')), ['nowhere']);
    const findings = found(all(add(broken), set('rent', { default: ref('x') }), wire({})));

    expect(findings.map(({ key }) => key).toSorted()).toEqual([
      'constant.key_invalid',
      'constant.ref_unknown',
      'constant.shown_on_unknown_node',
      'constant.type_mismatch',
      'field.ref_not_answerable',
      'flow_plugin.input_unwired',
    ]);
  });

  it('gives each finding the severity of the table', () => {
    const warnings = Object.entries(FINDINGS)
      .filter(([, severity]) => severity === 'warning')
      .map(([key]) => key);
    expect(warnings).toEqual([
      'constant.unused',
      'pdf.unknown_tag',
      'condition.ref_not_answerable',
      'text.unknown_tag',
      'node.unreachable',
    ]);
  });

  it('names the place in a definition it cannot read', () => {
    const findings = found((d) => void Object.assign(d.nodes[1]!.elements[1]!, { required: 'yes' }));
    const where = { path: 'nodes[1].elements[1].required' };
    expect(findings).toEqual([{ key: 'flows.definition_invalid', severity: 'error', where, message: 'Must be true or false' }]);
  });

  it('takes a long chain of defaults', () => {
    const chain = (d: Definition) => {
      const slugs = Array.from({ length: 150 }, (_, i) => `f${i}`);
      const text = { kind: 'field', label: '', type: 'text', required: false } as const;
      nodeOf(d, 'offer').elements.push(...slugs.map((slug, i) => ({ ...text, slug, default: i ? ref(`f${i - 1}`) : lit('x') })));
    };
    expect(found(chain)).toEqual([]);
  });

  it.each([null, 5, 'lease', [], {}, { entry: 'a' }])('refuses %j', (value) => {
    const findings = validateDefinition(value, rentalContext());
    expect(isPublishable(findings)).toBe(false);
    expect(new Set(findings.map(({ key }) => key))).toEqual(new Set(['flows.definition_invalid']));
  });
});

describe('copying plugin descriptions @spec D2-2.6 @spec D2-9', () => {
  const plugin = (definition: Definition) => nodeOf(definition, 'office_data').elements[1];

  it('puts the current description in', () => {
    const use = { plugin_id: 'p1', field_type: 'company', snapshot: {}, inputs: {} };
    const draft = rental((d) => void Object.assign(plugin(d)!, { plugin: use }));
    expect(plugin(copySnapshots(draft, rentalContext()))).toMatchObject({ plugin: { ...use, snapshot: REGISTER } });
  });

  it('keeps the copy there is while the plugin cannot be described', () => {
    expect(copySnapshots(rental(), rentalContext({ plugins: new Map([['p1', null]]) }))).toEqual(rental());
  });
});

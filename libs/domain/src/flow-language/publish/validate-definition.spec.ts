import type { Definition } from '../definition/definition.ts';
import { FINDINGS, type Finding, type Severity } from '../definition/finding.ts';
import { LIMITS } from '../definition/limits.ts';
import { constant, rental, rentalContext, lit, math, nodeOf, ref, REGISTER } from '../rental-flow.check.ts';
import { copySnapshots } from './copy-snapshots.ts';
import { add, all, found, leaf, nothing, rule, set, templates, text, wire, type Change } from './findings.check.ts';
import type { PublishInputs } from './check-context.ts';
import { isPublishable, judging, validateDefinition } from './validate-definition.ts';

describe('publishing a flow @spec D2-7', () => {
  it('reports no findings for the rental flow of the tests', () => {
    expect(found(nothing)).toEqual([]);
  });

  it('is blocked by an error but not by a warning', () => {
    const warnings = found(add(constant('c', 'number', lit(1), [])));
    const errors = found(add(constant('C', 'number', lit(1))));

    const message = 'The constant c is used nowhere: remove it or show it';
    expect(warnings).toEqual([{ key: 'constant.unused', severity: 'warning', where: { constant: 'c' }, message }]);
    expect(isPublishable(warnings)).toBe(true);
    expect(isPublishable([...warnings, ...errors])).toBe(false);
  });

  it('reports all findings at once', () => {
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

  describe('with more findings than the reported maximum', () => {
    const MANY = LIMITS.findings + 1;
    const tags = Array.from({ length: MANY }, (_, nth) => `nothing_${nth}`);
    const unknown = templates({ lease_en: tags, lease_de: ['deposit', ...tags] });
    const manyTags = text('offer', tags.map((tag) => `{{${tag}}}`).join(''));
    const of = (findings: Finding[], severity: Severity) => findings.filter((each) => each.severity === severity);

    it('reports the first warnings and still allows publishing', () => {
      const findings = found(nothing, unknown);

      expect(findings.map(({ message }) => message)).toEqual(
        tags.slice(0, LIMITS.findings).map((tag) => `The template's tag {{${tag}}} prints nothing on done`),
      );
      expect(isPublishable(findings)).toBe(true);
    });

    it.each<[order: string, warnings: Change, context: Partial<PublishInputs>]>([
      ['before', manyTags, {}],
      ['after', nothing, unknown],
    ])('reports the only error when many warnings come %s it', (_order, warnings, context) => {
      const findings = found(all(warnings, rule({ languages: [] })), context);

      expect(of(findings, 'error')).toMatchObject([{ where: { node: 'done', output: 'annex', rule: 0 } }]);
      expect(of(findings, 'warning')).toHaveLength(LIMITS.findings);
      expect(isPublishable(findings)).toBe(false);
    });

    it('reports the first errors and does not allow publishing', () => {
      const keys = Array.from({ length: 20 }, (_, nth) => `c${nth}`);
      const nowhere = Array.from({ length: 60 }, (_, nth) => `nowhere_${nth}`);
      const findings = found(add(...keys.map((key) => constant(key, 'number', lit(1), nowhere))));

      expect(of(findings, 'error')).toHaveLength(LIMITS.findings);
      expect(isPublishable(findings)).toBe(false);
    });

    it('validates in more steps as the definition grows', () => {
      const stepsOf = (change: Change, context?: Partial<PublishInputs>) => [...judging(rental(change), rentalContext(context))].length;
      const leaves = Array.from({ length: 20 }, (_, nth) => leaf(`end_${nth}`, 'offer'));

      expect(stepsOf(manyTags) - stepsOf(nothing)).toBe(LIMITS.findings / 100);
      expect(stepsOf(all(...leaves), templates()) - stepsOf(nothing, templates())).toBe(leaves.length);
    });
  });

  it('gives exactly five finding keys the severity warning', () => {
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

  it('reports the path of an unreadable part', () => {
    const findings = found((d) => void Object.assign(d.nodes[1]!.elements[1]!, { required: 'yes' }));
    const where = { path: 'nodes[1].elements[1].required' };
    expect(findings).toEqual([{ key: 'flows.definition_invalid', severity: 'error', where, message: 'Must be true or false' }]);
  });

  it('accepts a long chain of defaults', () => {
    const chain = (d: Definition) => {
      const slugs = Array.from({ length: 150 }, (_, i) => `f${i}`);
      const text = { kind: 'field', label: '', type: 'text', required: false } as const;
      nodeOf(d, 'offer').elements.push(...slugs.map((slug, i) => ({ ...text, slug, default: i ? ref(`f${i - 1}`) : lit('x') })));
    };
    expect(found(chain)).toEqual([]);
  });

  it.each([null, 5, 'lease', [], {}, { entry: 'a' }])('rejects %j', (value) => {
    const findings = validateDefinition(value, rentalContext());
    expect(isPublishable(findings)).toBe(false);
    expect(new Set(findings.map(({ key }) => key))).toEqual(new Set(['flows.definition_invalid']));
  });
});

describe('copying plugin descriptions into a flow @spec D2-2.6 @spec D2-9', () => {
  const plugin = (definition: Definition) => nodeOf(definition, 'office_data').elements[1];

  it('replaces the copy with the current description', () => {
    const use = { plugin_id: 'p1', field_type: 'company', snapshot: {}, inputs: {} };
    const draft = rental((d) => void Object.assign(plugin(d)!, { plugin: use }));
    expect(plugin(copySnapshots(draft, rentalContext()))).toMatchObject({ plugin: { ...use, snapshot: REGISTER } });
  });

  it("keeps the existing copy while the plugin's description is unavailable", () => {
    expect(copySnapshots(rental(), rentalContext({ plugins: new Map([['p1', null]]) }))).toEqual(rental());
  });
});

import type { SPEC_FINDINGS } from '@codase/contracts';
import { flowOf, math, optional as field, ref, stepOf } from '@codase/testing/flow-definition';

const lit = (value: string | number) => ({ type: 'lit', value_type: typeof value === 'number' ? 'number' : 'text', value });
const nested = (levels: number): object => (levels <= 1 ? lit(1) : math('add', nested(levels - 1), lit(1)));
const TOO_DEEP = nested(65);

const plugin = (slug: string, use: object) => ({ kind: 'plugin', slug, label: slug, required: false, plugin: use });
const constant = (key: string, result_type: string, expr: object, shown_on: string[] = ['order']) => ({
  key,
  label: key,
  result_type,
  expr,
  shown_on,
});
const document = (output_key: string, source: object) => ({ output_key, name: output_key, rules: [{ ...source, languages: 'all' }] });

/** The description of a plugin that requires a number. */
export const ZONES = {
  name: 'Zones',
  public_key: 'a2V5',
  field_types: [
    {
      field_type: 'zone',
      label: 'Zone',
      blocks: [],
      inputs: [{ key: 'postcode', type: 'number', label: 'Postcode', required: true }],
      outputs: [],
    },
  ],
};

/** A draft with every fault that publishing looks for. Its template `lease` shows a value that does not exist. @spec D2-7 */
export const faultyFlow = (plugin_id: string) => {
  const zone = (inputs: object) => ({ plugin_id, field_type: 'zone', inputs });
  return flowOf(
    [
      stepOf<object, object>('customer', 'order', 'Your order', [
        field('quantity', 'integer'),
        field('name', 'text', { default: lit(5) }),
        field('scan', 'document', { default: lit('x') }),
        field('size', 'integer', { min: lit('x') }),
        field('early', 'integer', { default: ref('price') }),
        field('deep', 'integer', { default: TOO_DEEP }),
        field('one', 'integer', { default: ref('other') }),
        field('other', 'integer', { default: ref('one') }),
        { kind: 'video' },
        plugin('nobodys', { plugin_id: 'plug_none', field_type: 'zone', inputs: {} }),
        plugin('untyped', { plugin_id, field_type: 'none', inputs: {} }),
        plugin('unwired', zone({})),
        plugin('hasty', zone({ postcode: 'price' })),
        plugin('mistyped', zone({ postcode: 'name' })),
      ]),
      stepOf('company', 'offer', 'Offer', [field('price', 'integer')], {
        output: {
          language_party: 'customer',
          documents: [
            document('lease', { asset_key: 'lease' }),
            document('sourceless', {}),
            document('named', { source_field: 'name' }),
            document('shared', { source_connection: { party: 'customer', request_slug: 'nothing' } }),
          ],
        },
      }),
    ],
    [{ from: 'order', to: 'offer', when: { field: 'late', op: 'gt', value: 1 } }],
    {
      output_mode: 'document',
      constants: [
        constant('Total', 'number', lit(1)),
        constant('quantity', 'number', lit(1)),
        constant('lost', 'number', ref('nothing')),
        constant('circle', 'number', ref('circle')),
        constant('late', 'number', ref('price'), ['offer']),
        constant('elsewhere', 'number', lit(1), ['nowhere']),
        constant('hasty_sum', 'number', ref('price'), ['order']),
        constant('words', 'number', ref('name')),
        constant('bottomless', 'number', TOO_DEEP),
        constant('unnoticed', 'number', lit(1), []),
      ],
    },
  );
};

/** The findings in this draft, and where they are: each finding of the specification once. */
export const FAULTS = {
  'element.kind_invalid': { node: 'order', index: 8 },
  'constant.key_invalid': { constant: 'Total' },
  'constant.key_duplicate': { constant: 'quantity' },
  'constant.ref_unknown': { constant: 'lost' },
  'constant.cycle': { constant: 'circle' },
  'constant.type_mismatch': { constant: 'words' },
  'constant.expr_too_deep': { constant: 'bottomless' },
  'constant.shown_on_unknown_node': { constant: 'elsewhere', node: 'nowhere' },
  'constant.shown_on_not_computable': { constant: 'hasty_sum', node: 'order' },
  'constant.unused': { constant: 'unnoticed' },
  'constant.ref_not_answerable': { node: 'order', edge: 0, constant: 'late' },
  'field.default_type_mismatch': { node: 'order', element: 'name' },
  'field.default_not_allowed': { node: 'order', element: 'scan' },
  'field.bound_type_mismatch': { node: 'order', element: 'size' },
  'field.ref_not_answerable': { node: 'order', element: 'early' },
  'field.expr_too_deep': { node: 'order', element: 'deep' },
  'flow_plugin.unknown': { node: 'order', element: 'nobodys' },
  'flow_plugin.field_type_unknown': { node: 'order', element: 'untyped' },
  'flow_plugin.input_unwired': { node: 'order', element: 'unwired' },
  'flow_plugin.input_not_answerable': { node: 'order', element: 'hasty' },
  'flow_plugin.input_type_mismatch': { node: 'order', element: 'mistyped' },
  'dependency.cycle': { element: 'one' },
  'pdf.source_invalid': { node: 'offer', output: 'sourceless', rule: 0 },
  'pdf.source_field_invalid': { node: 'offer', output: 'named', rule: 0 },
  'pdf.source_connection_invalid': { node: 'offer', output: 'shared', rule: 0 },
  'pdf.unknown_tag': { node: 'offer', output: 'lease', rule: 0 },
} satisfies Record<keyof typeof SPEC_FINDINGS, object>;

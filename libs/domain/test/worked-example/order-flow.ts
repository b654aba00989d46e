import { fieldTypes, SYSTEM_ROWS } from '@codase/domain/field-types';
import { compileFlow, isPublishable, readDefinition, validateDefinition, type Flow } from '@codase/domain/flow-language';

/** The draft of an author: a customer orders, the company confirms, both sign. */
const DRAFT: unknown = {
  entry: 'order',
  output_mode: 'document',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    {
      key: 'order',
      party: 'customer',
      title: 'Your order',
      elements: [
        {
          kind: 'field',
          slug: 'quantity',
          label: 'Quantity',
          type: 'integer',
          required: true,
          min: { type: 'lit', value_type: 'number', value: 1 },
        },
        { kind: 'field', slug: 'delivery', label: 'Delivery', type: 'date', required: true, default: { type: 'today' } },
        { kind: 'field', slug: 'extras', label: 'Extras', type: 'multiselect', required: false, options: ['gift', 'insurance'] },
        { kind: 'text', text: 'You pay [b]{{total}}[/b].' },
      ],
    },
    {
      key: 'confirm',
      party: 'company',
      title: 'Confirm',
      elements: [{ kind: 'field', slug: 'order_number', label: 'Order number', type: 'text', required: true }],
      output: {
        language_party: 'customer',
        documents: [
          {
            output_key: 'contract',
            name: 'Contract',
            rules: [
              { asset_key: 'insured', when: { field: 'extras', op: 'contains', value: 'insurance' }, languages: 'all' },
              { asset_key: 'plain', languages: 'all', signers: [{ party: 'customer', action: 'sign' }] },
            ],
          },
        ],
      },
    },
  ],
  edges: [{ from: 'order', to: 'confirm', when: { field: 'total', op: 'lte', value: 1000 } }],
  constants: [
    {
      key: 'total',
      label: 'Total',
      result_type: 'number',
      expr: {
        type: 'math',
        op: 'mul',
        args: [
          { type: 'ref', key: 'quantity' },
          { type: 'lit', value_type: 'number', value: 12.5 },
        ],
      },
      shown_on: ['order'],
    },
  ],
};

const types = fieldTypes(SYSTEM_ROWS);

/** Returns everything that publishing would find in a draft. */
export const findingsOf = (draft: unknown = DRAFT) =>
  validateDefinition(draft, {
    fieldTypes: types,
    plugins: new Map(),
    request_fields: [],
    templates: new Map([
      ['insured', ['total']],
      ['plain', ['quantity', 'order_number']],
    ]),
  });

/** A published definition, ready to be played: a run pins it, so compile it once for each run or version. */
export function orderFlow(): Flow {
  if (!isPublishable(findingsOf())) throw new Error('the draft has errors');
  const reading = readDefinition(DRAFT);
  if (!reading.ok) throw new Error(reading.findings.map(({ message }) => message).join('\n'));
  return compileFlow(reading.definition, types);
}

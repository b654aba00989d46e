// The flow that the tests use.
import type { FlowDefinition } from '@codase/contracts';
import { fieldTypes, SYSTEM_ROWS } from '@codase/domain/field-types';
import { compileFlow, readDefinition, type Answers } from '@codase/domain/flow-language';
import type { OpenedStep } from './present-turn.ts';

const field = (slug: string, type: string, more: object = {}) => ({
  kind: 'field' as const,
  slug,
  label: slug,
  type,
  required: true,
  ...more,
});

/** A customer orders, the company sets the price, the customer agrees, the company closes. */
export const ORDER: FlowDefinition = {
  entry: 'ask',
  output_mode: 'data_only',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    { key: 'ask', party: 'customer', title: 'Your order', elements: [field('quantity', 'integer')] },
    {
      key: 'price_check',
      party: 'company',
      title: 'Price',
      elements: [
        field('price', 'decimal', { min: { type: 'lit', value_type: 'number', value: 1 } }),
        field('discount', 'decimal', { required: false, show_if: { field: 'quantity', op: 'gt', value: 10 } }),
        field('valid_from', 'date', { default: { type: 'today' } }),
      ],
    },
    { key: 'agree', party: 'customer', title: 'Agree', elements: [field('agrees', 'select', { options: ['yes', 'no'] })] },
    { key: 'close', party: 'company', title: 'Close', elements: [field('order_number', 'text')] },
  ],
  edges: [
    { from: 'ask', to: 'price_check' },
    { from: 'price_check', to: 'agree', when: { field: 'total', op: 'lt', value: 1000 } },
    { from: 'agree', to: 'close' },
  ],
  constants: [
    {
      key: 'total',
      result_type: 'number',
      expr: {
        type: 'math',
        op: 'mul',
        args: [
          { type: 'ref', key: 'quantity' },
          { type: 'ref', key: 'price' },
        ],
      },
      shown_on: ['agree'],
    },
  ],
};

/** Returns a step of the flow, after these earlier answers. */
export function stepOf(node: string, answers: Answers, definition: FlowDefinition = ORDER): OpenedStep {
  const reading = readDefinition(definition);
  if (!reading.ok) throw new Error(`not a definition: ${JSON.stringify(reading.findings)}`);
  const flow = compileFlow(reading.definition, fieldTypes(SYSTEM_ROWS));
  return { flow, node: flow.node(node)!, answers, reference_date: '2026-03-02', private_slugs: [] };
}

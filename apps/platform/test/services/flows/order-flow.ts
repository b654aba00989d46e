import { field, flowOf, math, number, ref, stepOf, text } from '@codase/testing/flow-definition';

/** A flow as an author writes it: a customer orders, and the company confirms what it costs. */
export const ORDER_FLOW = flowOf(
  [
    stepOf('customer', 'order', 'Your order', [field('quantity', 'integer', { label: 'Quantity' }), text('You pay [b]{{total}}[/b].')]),
    stepOf('company', 'confirm', 'Confirm', [field('order_number', 'text', { label: 'Order number' })]),
  ],
  [{ from: 'order', to: 'confirm', when: { field: 'total', op: 'lte', value: 1000 } }],
  {
    constants: [
      { key: 'total', label: 'Total', result_type: 'number', expr: math('mul', ref('quantity'), number(12.5)), shown_on: ['order'] },
    ],
  },
);

/** The same flow with a contract that both parties sign. */
export const ORDER_WITH_CONTRACT = {
  ...ORDER_FLOW,
  output_mode: 'document',
  nodes: [
    ORDER_FLOW.nodes[0],
    {
      ...ORDER_FLOW.nodes[1],
      output: {
        language_party: 'customer',
        documents: [
          {
            output_key: 'contract',
            name: 'Contract',
            rules: [
              {
                asset_key: 'contract',
                languages: 'all',
                signers: [
                  { party: 'customer', action: 'sign' },
                  { party: 'company', action: 'sign' },
                ],
              },
            ],
          },
        ],
      },
    },
  ],
};

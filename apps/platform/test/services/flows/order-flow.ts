/** A flow as an author writes it: a customer orders, and the company confirms what it costs. */
export const ORDER_FLOW = {
  entry: 'order',
  output_mode: 'data_only',
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
        { kind: 'field', slug: 'quantity', label: 'Quantity', type: 'integer', required: true },
        { kind: 'text', text: 'You pay [b]{{total}}[/b].' },
      ],
    },
    {
      key: 'confirm',
      party: 'company',
      title: 'Confirm',
      elements: [{ kind: 'field', slug: 'order_number', label: 'Order number', type: 'text', required: true }],
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

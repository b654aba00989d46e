import { flowAuthoring, type FlowDefinition } from '@cds/contracts';
import type { Company } from '@cds/actors';

/** The name of the demo's flow. The shop's own service finds the flow by this name. */
export const ORDER_FLOW = 'Order';

/** Three turns: a customer orders, the shop says what it costs, the customer agrees. */
const DEFINITION: FlowDefinition = {
  entry: 'order',
  output_mode: 'data_only',
  parties: [
    { key: 'company', label: 'Shop', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    {
      key: 'order',
      party: 'customer',
      title: 'What do you need?',
      elements: [
        {
          kind: 'field',
          slug: 'quantity',
          label: 'Boxes',
          type: 'integer',
          required: true,
          min: { type: 'lit', value_type: 'number', value: 1 },
        },
      ],
    },
    {
      key: 'price',
      party: 'company',
      title: 'Our price',
      elements: [
        { kind: 'field', slug: 'price', label: 'Price', type: 'decimal', required: true },
        { kind: 'field', slug: 'delivery', label: 'Delivered on', type: 'date', required: true },
      ],
    },
    {
      key: 'agree',
      party: 'customer',
      title: 'Your order',
      elements: [
        { kind: 'text', text: '{{quantity}} boxes for {{price}}, on {{delivery}}.' },
        { kind: 'field', slug: 'agrees', label: 'Do you agree?', type: 'select', required: true, options: ['yes', 'no'] },
      ],
    },
  ],
  edges: [
    { from: 'order', to: 'price' },
    { from: 'price', to: 'agree' },
  ],
  constants: [],
};

/** Publishes the order flow, unless the company has a published flow with this name. */
export async function publishOrderFlow(acme: Company, service_id: string): Promise<void> {
  const { items } = await acme.asks(flowAuthoring.listFlows, { query: { service_id, limit: 200 } });
  if (items.some(({ name, published_version }) => name === ORDER_FLOW && published_version !== null)) return;
  await acme.flows.publishes(service_id, DEFINITION, await acme.flows.begins(service_id, ORDER_FLOW));
}

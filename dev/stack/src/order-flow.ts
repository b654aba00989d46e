import { readFileSync } from 'node:fs';
import { flowAuthoring, type FlowDefinition } from '@codase/contracts';
import type { Company } from '@codase/actors';

/** The names of the demo's flows. The shop's own service finds the flows by these names. */
export const ORDER_FLOW = 'Order';
export const ORDER_CONTRACT_FLOW = 'Order contract';

type Node = FlowDefinition['nodes'][number];

const PARTIES: FlowDefinition['parties'] = [
  { key: 'company', label: 'Shop', type: 'owner' },
  { key: 'customer', label: 'Customer', type: 'person' },
];

const ORDER: Node = {
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
};

const PRICE: Node = {
  key: 'price',
  party: 'company',
  title: 'Our price',
  elements: [
    { kind: 'field', slug: 'price', label: 'Price', type: 'decimal', required: true },
    { kind: 'field', slug: 'delivery', label: 'Delivered on', type: 'date', required: true },
  ],
};

const AGREE: Node = {
  key: 'agree',
  party: 'customer',
  title: 'Your order',
  elements: [
    { kind: 'text', text: '{{quantity}} boxes for {{price}}, on {{delivery}}.' },
    { kind: 'field', slug: 'agrees', label: 'Do you agree?', type: 'select', required: true, options: ['yes', 'no'] },
  ],
};

/** The contract that both sides sign: the customer first, and then the shop. */
const CONTRACT: NonNullable<Node['output']> = {
  language_party: 'customer',
  documents: [
    {
      output_key: 'contract',
      name: 'Order contract',
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
};

interface DemoFlow {
  name: string;
  definition: FlowDefinition;
  /** The PDF templates, by their keys: files of the folder `templates`. */
  templates?: Readonly<Record<string, string>>;
}

const FLOWS: readonly DemoFlow[] = [
  {
    // Three turns: a customer orders, the shop says what it costs, the customer agrees.
    name: ORDER_FLOW,
    definition: {
      entry: 'order',
      output_mode: 'data_only',
      parties: PARTIES,
      nodes: [ORDER, PRICE, AGREE],
      edges: [
        { from: 'order', to: 'price' },
        { from: 'price', to: 'agree' },
      ],
      constants: [],
    },
  },
  {
    // Two turns, and a contract: a customer orders, the shop says what it costs, both sign.
    name: ORDER_CONTRACT_FLOW,
    definition: {
      entry: 'order',
      output_mode: 'document',
      parties: PARTIES,
      nodes: [ORDER, { ...PRICE, output: CONTRACT }],
      edges: [{ from: 'order', to: 'price' }],
      constants: [],
    },
    templates: { contract: 'order-contract.pdf' },
  },
];

/** Publishes the demo's flows, except those of which the company has a published flow with the same name. */
export async function publishOrderFlows(acme: Company, service_id: string): Promise<void> {
  const { items } = await acme.asks(flowAuthoring.listFlows, { query: { service_id, limit: 200 } });
  for (const flow of FLOWS) {
    const isPublished = items.some(({ name, published_version }) => name === flow.name && published_version !== null);
    if (!isPublished) await publish(acme, service_id, flow);
  }
}

async function publish(acme: Company, service_id: string, { name, definition, templates = {} }: DemoFlow): Promise<void> {
  const begun = await acme.flows.begins(service_id, name);
  for (const [key, file] of Object.entries(templates)) {
    await acme.flows.uploads(begun, key, templateOf(file));
  }
  await acme.flows.publishes(service_id, definition, begun);
}

function templateOf(file: string) {
  const pdf = readFileSync(new URL(`../templates/${file}`, import.meta.url));
  const mime_type = 'application/pdf';
  return { file: `data:${mime_type};base64,${pdf.toString('base64')}`, original_name: file, mime_type, size: pdf.length };
}

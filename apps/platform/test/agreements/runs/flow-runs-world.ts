import type { FlowDefinition } from '@codase/contracts';
import type { Company } from '@codase/testing';

const field = (slug: string, type: string, more = {}) => ({ kind: 'field' as const, slug, label: slug, type, required: false, ...more });
export const text = (words: string) => ({ kind: 'text' as const, text: words });

const PARTIES: FlowDefinition['parties'] = [
  { key: 'company', label: 'Acme', type: 'owner' },
  { key: 'customer', label: 'Customer', type: 'person' },
];

/**
 * A flow in which a customer orders, the company sets the price, and the customer confirms, or is asked for more first. It ends with data
 * alone.
 */
export const ORDER: FlowDefinition = {
  entry: 'order',
  output_mode: 'data_only',
  parties: PARTIES,
  nodes: [
    {
      key: 'order',
      party: 'customer',
      title: 'Your order',
      elements: [field('quantity', 'integer'), field('email', 'email'), field('scan', 'document'), text('Thank you')],
    },
    { key: 'price', party: 'company', title: 'Price', elements: [field('price', 'number'), field('offer', 'document')] },
    { key: 'more', party: 'customer', title: 'More', elements: [field('reason', 'text')] },
    { key: 'confirm', party: 'customer', title: 'Confirm', elements: [field('agreed', 'text')] },
  ],
  edges: [
    { from: 'order', to: 'price' },
    { from: 'price', to: 'more', when: { field: 'price', op: 'gt', value: 100 } },
    { from: 'price', to: 'confirm' },
    { from: 'more', to: 'confirm' },
  ],
  constants: [],
};

/** The same flow with some of it changed. */
export const orderWith = (change: (definition: FlowDefinition) => void): FlowDefinition => {
  const definition = structuredClone(ORDER);
  change(definition);
  return definition;
};

/** Publishes a definition as a flow of a service, or as another version of one. Returns the id of the flow. */
export const publishes = async (company: Company, service_id: string, draft: FlowDefinition, flow?: string): Promise<string> =>
  (await company.flows.publishes(service_id, { ...draft }, flow === undefined ? undefined : { id: flow })).id;

/** The sides that play a run, each with its own routes. */
export {
  customerSide,
  ownerSide,
  serviceSide,
  type RunSide as Side,
  type SubmittedTurn as Turn,
  type UploadedCopy as Upload,
} from '@codase/testing';

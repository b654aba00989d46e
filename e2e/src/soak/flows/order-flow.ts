import type { FlowDefinition } from '@codase/contracts';
import type { Company } from '@codase/testing';

const field = (slug: string, type: string, more: object = {}) => ({
  kind: 'field' as const,
  slug,
  label: slug,
  type,
  required: true,
  ...more,
});

const SCAN = field('scan', 'document', { required: false });

/** The order flow: a customer orders and may add a scan, the company's own service sets the price, and the customer agrees. */
const ORDER: FlowDefinition = {
  entry: 'ask',
  output_mode: 'data_only',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    { key: 'ask', party: 'customer', title: 'Your order', elements: [field('quantity', 'integer'), SCAN] },
    { key: 'price_check', party: 'company', title: 'Price', elements: [field('price', 'decimal')] },
    { key: 'agree', party: 'customer', title: 'Agree', elements: [field('agrees', 'select', { options: ['yes', 'no'] })] },
  ],
  edges: [
    { from: 'ask', to: 'price_check' },
    { from: 'price_check', to: 'agree' },
  ],
  constants: [],
};

export const publishOrderFlow = async (company: Company, service_id: string): Promise<string> =>
  (await company.flows.publishes(service_id, { ...ORDER })).id;

export const priceOf = (quantity: number): number => 12.5 * quantity;

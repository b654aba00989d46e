import type { FlowDefinition } from '@codase/contracts';
import type { Company } from '@codase/testing';
import { flowOf, optional, stepOf, text } from '@codase/testing/flow-definition';

/**
 * A flow in which a customer orders, the company sets the price, and the customer confirms, or is asked for more first. It ends with data
 * alone.
 */
export const ORDER: FlowDefinition = flowOf(
  [
    stepOf('customer', 'order', 'Your order', [
      optional('quantity', 'integer'),
      optional('email', 'email'),
      optional('scan', 'document'),
      text('Thank you'),
    ]),
    stepOf('company', 'price', 'Price', [optional('price', 'number'), optional('offer', 'document')]),
    stepOf('customer', 'more', 'More', [optional('reason', 'text')]),
    stepOf('customer', 'confirm', 'Confirm', [optional('agreed', 'text')]),
  ],
  [
    { from: 'order', to: 'price' },
    { from: 'price', to: 'more', when: { field: 'price', op: 'gt', value: 100 } },
    { from: 'price', to: 'confirm' },
    { from: 'more', to: 'confirm' },
  ],
);

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

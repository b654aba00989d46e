import { customerRuns, ownerRuns, runs, type FlowDefinition, type Output, type Request } from '@cds/contracts';
import type { Backend, Company, OwnConnection, Person } from '@cds/testing';

const field = (slug: string, type: string, more = {}) => ({ kind: 'field' as const, slug, label: slug, type, required: false, ...more });
export const text = (words: string) => ({ kind: 'text' as const, text: words });

const PARTIES: FlowDefinition['parties'] = [
  { key: 'company', label: 'Acme', type: 'owner' },
  { key: 'customer', label: 'Customer', type: 'person' },
];

/** A customer orders, the company prices it, and the customer confirms, or is asked for more first. Ends with data alone. */
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

/** Publishes a definition as a flow of a service, or as another version of one. Answers the flow. */
export const publishes = async (company: Company, service_id: string, draft: FlowDefinition, flow?: string): Promise<string> =>
  (await company.flows.publishes(service_id, { ...draft }, flow === undefined ? undefined : { id: flow })).id;

export type Turn = Request<typeof runs.answerRun>['body'];
export type Upload = Request<typeof runs.uploadAnswerFile>['body'];

/** One of those who play a run, by its own routes. @spec D2-4.4 */
export interface Side {
  read(id: string): Promise<Output<typeof runs.readRun>>;
  answer(id: string, body: Turn): Promise<Output<typeof runs.readRun>>;
  upload(id: string, body: Upload): Promise<{ file: string }>;
  /** The automation of a company has none. */
  pass?(id: string): Promise<Output<typeof runs.issuePluginPass>>;
  list(query?: Request<typeof runs.listRuns>['query']): Promise<Output<typeof runs.listRuns>>;
}

export const serviceSide = (backend: Backend): Side => ({
  read: (runId) => backend.asks(runs.readRun, { params: { runId } }),
  answer: (runId, body) => backend.asks(runs.answerRun, { params: { runId }, body }),
  upload: (runId, body) => backend.asks(runs.uploadAnswerFile, { params: { runId }, body }),
  pass: (runId) => backend.asks(runs.issuePluginPass, { params: { runId } }),
  list: (query = {}) => backend.asks(runs.listRuns, { query }),
});

export const ownerSide = (automation: Backend, of: { id: string; flowId: string }): Side => ({
  read: (runId) => automation.asks(ownerRuns.readOwnRun, { params: { ...of, runId } }),
  answer: (runId, body) => automation.asks(ownerRuns.answerOwnRun, { params: { ...of, runId }, body }),
  upload: (runId, body) => automation.asks(ownerRuns.uploadOwnAnswerFile, { params: { ...of, runId }, body }),
  list: (query = {}) => automation.asks(ownerRuns.listOwnRuns, { params: of, query }),
});

export const customerSide = (customer: Person | Company, { id: connectionId }: Pick<OwnConnection, 'id'>): Side => ({
  read: (runId) => customer.asks(customerRuns.readCustomerRun, { params: { connectionId, runId } }),
  answer: (runId, body) => customer.asks(customerRuns.answerCustomerRun, { params: { connectionId, runId }, body }),
  upload: (runId, body) => customer.asks(customerRuns.uploadCustomerAnswerFile, { params: { connectionId, runId }, body }),
  pass: (runId) => customer.asks(customerRuns.issueCustomerPluginPass, { params: { connectionId, runId } }),
  list: (query = {}) => customer.asks(customerRuns.listCustomerRuns, { params: { connectionId }, query }),
});

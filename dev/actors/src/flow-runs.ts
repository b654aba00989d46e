import { customerRuns, runs, type CustomerRun, type Output, type Request, type Run } from '@codase/contracts';
import type { Device } from './device.ts';
import { opened, type IssuedDocument } from './documents.ts';
import { seals, type Recipient } from './keys.ts';
import { Facet, type Asks } from './stranger.ts';

type NewRun = Request<typeof runs.startRun>['body'];

/** An answer: a text to seal, and where it comes from. */
interface FlowAnswer {
  text: string;
  /** The profile field that the answer is linked from. */
  from?: string;
  source_private?: boolean;
}
type FlowAnswers = Readonly<Record<string, string | FlowAnswer>>;

/** Where a turn leads: to a node, or to the end of the flow. */
export type Onward = { next_node: string } | { leaf: true };

/** The public key of every user that a run is bound to. */
type PartyKeys = Readonly<Record<string, string>>;

/** Seals the answers, with one copy for each party, as every client of a run does. @spec D2-2.3 */
export const sealedFor = (party_keys: PartyKeys, answers: FlowAnswers) =>
  Promise.all(
    Object.entries(answers).map(async ([slug, answer]) => {
      const { text, from, source_private } = typeof answer === 'string' ? ({ text: answer } as FlowAnswer) : answer;
      const copies = Object.entries(party_keys).map(async ([for_user_id, public_key]) => ({
        for_user_id,
        value: await seals({ public_key }, text),
      }));
      return {
        slug,
        values: await Promise.all(copies),
        ...(from !== undefined && { source_field: from }),
        ...(source_private !== undefined && { source_private }),
      };
    }),
  );

type RunId = Pick<Run, 'id'>;
type RunOfCompany = Pick<Run, 'id' | 'company_user_id'>;

/** A customer who takes part in a run, and the key to seal to. */
type Customer = Recipient & { user_id: string };

/** What the backend of a company does in the runs of its service. @spec D2-4.1 @spec D2-4.2 */
export class ServiceRuns extends Facet<Asks & Recipient> {
  starts(flowId: string, body: NewRun): Promise<Run> {
    return this.actor.asks(runs.startRun, { params: { flowId }, body });
  }

  async list(query: Request<typeof runs.listRuns>['query'] = {}): Promise<Output<typeof runs.listRuns>['items']> {
    return (await this.actor.asks(runs.listRuns, { query })).items;
  }

  reads({ id }: RunId): Promise<Run> {
    return this.actor.asks(runs.readRun, { params: { runId: id } });
  }

  cancels({ id }: RunId): Promise<Run> {
    return this.actor.asks(runs.cancelRun, { params: { runId: id } });
  }

  /** Seals the answers for all parties and submits the turn. */
  async answers(run: RunOfCompany, answers: FlowAnswers, onward: Onward, customers: readonly Customer[]): Promise<Run> {
    const body = { answers: await sealedFor(this.partyKeys(run, customers), answers), ...onward };
    return this.actor.asks(runs.answerRun, { params: { runId: run.id }, body });
  }

  /** Fetches the company's own copy of an output. @spec D2-4.3 */
  fetchesOutput({ id }: RunId, outputKey: string): Promise<Output<typeof runs.readOutputFile>> {
    return this.actor.asks(runs.readOutputFile, { params: { runId: id, outputKey } });
  }

  async signsOutput({ id }: RunId, outputKey: string, pdf: Uint8Array): Promise<IssuedDocument> {
    const names = { signer_first_name: 'Grace', signer_last_name: 'Example' };
    const body = { method: 'custodian' as const, ...names, ...(await opened(pdf)) };
    return this.actor.asks(runs.signOutput, { params: { runId: id, outputKey }, body });
  }

  async acceptsOutput({ id }: RunId, outputKey: string, pdf: Uint8Array): Promise<IssuedDocument> {
    return this.actor.asks(runs.acceptOutput, { params: { runId: id, outputKey }, body: await opened(pdf) });
  }

  declinesOutput({ id }: RunId, outputKey: string): Promise<IssuedDocument> {
    return this.actor.asks(runs.declineOutput, { params: { runId: id, outputKey }, body: {} });
  }

  /** Returns the service's own key for the company, and the key of each customer. @spec D2-4.2 */
  partyKeys({ company_user_id }: Pick<Run, 'company_user_id'>, customers: readonly Customer[]): PartyKeys {
    const keys = customers.map(({ user_id, public_key }) => [user_id, public_key] as const);
    return Object.fromEntries([[company_user_id, this.actor.public_key] as const, ...keys]);
  }
}

/** What a customer does in the runs of a connection. @spec D2-4.4 */
export class CustomerRuns extends Facet<Asks & { readonly device?: Device | undefined }> {
  async list({ id }: RunId, query: Request<typeof customerRuns.listCustomerRuns>['query'] = {}) {
    return (await this.actor.asks(customerRuns.listCustomerRuns, { params: { connectionId: id }, query })).items;
  }

  reads(connection: { id: string }, { id }: RunId): Promise<CustomerRun> {
    return this.actor.asks(customerRuns.readCustomerRun, { params: { connectionId: connection.id, runId: id } });
  }

  /** Uploads a file as an answer, with a copy for each party. It is linked from a profile field when one is named. @spec D2-4.2 */
  async attaches(connection: { id: string }, { id }: RunId, slug: string, text: string, from?: string) {
    const { party_keys } = await this.reads(connection, { id });
    const params = { connectionId: connection.id, runId: id };
    const copies = Object.entries(party_keys).map(async ([for_user_id, public_key]) => {
      const body = { slug, for_user_id, value: await seals({ public_key }, text) };
      const { file } = await this.actor.asks(customerRuns.uploadCustomerAnswerFile, { params, body });
      this.actor.device?.hasUploaded(file, body.value);
      return { for_user_id, value: JSON.stringify({ _enc_file: file, ...(from !== undefined && { _link: 1 }) }) };
    });
    return { slug, values: await Promise.all(copies), ...(from !== undefined && { source_field: from }) };
  }

  /** Reads the run to get the keys of its parties, seals the answers for them, and submits the turn. */
  async answers(
    connection: { id: string },
    { id }: RunId,
    answers: FlowAnswers,
    onward: Onward,
    files: readonly Awaited<ReturnType<CustomerRuns['attaches']>>[] = [],
  ): Promise<CustomerRun> {
    const { party_keys } = await this.reads(connection, { id });
    const body = { answers: [...(await sealedFor(party_keys, answers)), ...files], ...onward };
    return this.actor.asks(customerRuns.answerCustomerRun, { params: { connectionId: connection.id, runId: id }, body });
  }
}

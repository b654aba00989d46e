import { customer, type Output, type Request } from '@codase/contracts';
import { seals, type Recipient } from './keys.ts';
import type { KeyLogs } from './key-logs.ts';
import { Facet, type Asks } from './stranger.ts';

/** An answer to a request field: a text to seal, and where it comes from. */
interface Answer {
  text: string;
  /** The profile field that the answer follows. */
  from?: string;
  live?: boolean;
}

/** Answers by the slugs of the request fields. A plain text is a live answer that follows no field. */
export type Answers = Readonly<Record<string, string | Answer>>;
export type OwnConnection = Output<typeof customer.connect>;

/** What a customer does with the services it is connected to. */
export class Connections extends Facet<Asks & { keyLogs?: KeyLogs }> {
  /** Connects by COMPANY/SERVICE, with answers sealed to the key on the service's card. @spec D1-5.8 */
  async connects(code: string, answers: Answers = {}): Promise<OwnConnection> {
    const [companyCode = '', serviceCode = ''] = code.split('/');
    const card = await this.actor.asks(customer.readServiceCard, { params: { companyCode, serviceCode } });
    await this.actor.keyLogs?.checksService(card);
    return this.actor.asks(customer.connect, { body: { code, values: await sealedAnswers(card, answers) } });
  }

  /** Answers request fields of a connection, for the first time or again. */
  async shares({ id, service }: OwnConnection, answers: Answers): Promise<OwnConnection> {
    await this.actor.keyLogs?.checksService(service);
    return this.changes(id, { values: await sealedAnswers(service, answers) });
  }

  drops({ id }: OwnConnection, ...slugs: string[]): Promise<OwnConnection> {
    return this.changes(id, { drop: slugs });
  }

  declines({ id }: OwnConnection, ...slugs: string[]): Promise<OwnConnection> {
    return this.changes(id, { decline: slugs });
  }

  disconnects({ id }: Pick<OwnConnection, 'id'>): Promise<unknown> {
    return this.actor.asks(customer.disconnect, { params: { connectionId: id } });
  }

  changes(connectionId: string, body: Change): Promise<OwnConnection> {
    return this.actor.asks(customer.changeCustomerConnection, { params: { connectionId }, body });
  }
}

type Change = Request<typeof customer.changeCustomerConnection>['body'];

/** Seals the answers to the service, in the form in which they are sent. */
export function sealedAnswers(service: Recipient, answers: Answers) {
  return Promise.all(
    Object.entries(answers).map(async ([slug, answer]) => {
      const { text, from, live = true } = typeof answer === 'string' ? { text: answer } : (answer as Answer);
      return { slug, value: await seals(service, text), live, ...(from !== undefined && { source_field: from }) };
    }),
  );
}

import { accountClients, CAPABILITIES, serviceClient, services, webhooks } from '@codase/contracts';
import type { World } from '@codase/testing';
import { field, flowOf, stepOf } from '@codase/testing/flow-definition';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { publishMailField, SLUG } from '../soak/request-field.ts';
import type { CallerKind } from './api-document.ts';
import { prepareRequests, SCAN, type Parties } from './prepared-requests.ts';
import { Rehearsal, type PreparedRequest } from './rehearsal.ts';

/** Refused tokens in a row after which a kind of caller has lost its client or account, or has moved it to another region. */
const LOST = [401, 421];
const LOST_AFTER = 20;
const REGION = 'eu';

/** A token of each kind of caller. A request may end the client or the account behind one: then all are replaced by new ones. */
export class Callers {
  private tokens: Partial<Record<CallerKind, string>> = {};
  /** Texts that requests need and no answer contains, by the names of members. */
  given: Readonly<Record<string, string>> = {};
  /** Requests of actors that succeed, not sent yet. They are prepared once for a run, because that takes many calls. */
  prepared: readonly PreparedRequest[] = [];
  private readonly refused = new Map<CallerKind, number>();
  private renewing: Promise<void> | undefined;
  /** How often new callers had to sign up. */
  renewals = 0;

  private constructor(private readonly world: World) {}

  static async open(world: World): Promise<Callers> {
    const callers = new Callers(world);
    callers.prepared = await callers.rehearsed(await callers.signUp());
    return callers;
  }

  tokenOf(kind: CallerKind): string | undefined {
    return this.tokens[kind];
  }

  /** Notes whether the token of a caller was accepted. Waits for new callers where an earlier one is lost. */
  async note(kind: CallerKind, status: number): Promise<void> {
    const count = LOST.includes(status) ? (this.refused.get(kind) ?? 0) + 1 : 0;
    this.refused.set(kind, count);
    if (count < LOST_AFTER) return;
    this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
    await this.renewing;
  }

  /** Signs up new callers. */
  async renew(): Promise<void> {
    this.renewals += 1;
    await this.signUp();
    this.refused.clear();
  }

  private async rehearsed(parties: Parties): Promise<readonly PreparedRequest[]> {
    const rehearsal = new Rehearsal();
    try {
      await prepareRequests(this.world, rehearsal, parties);
      return rehearsal.prepared;
    } finally {
      rehearsal.close();
    }
  }

  private async signUp(): Promise<Parties> {
    const { world } = this;
    const company = await world.signsUp({ type: 'company', region: REGION, level: 'business' });
    const person = await world.signsUp({ type: 'person', region: REGION, level: 'pro' });
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const key = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const } };
    const body = { name: 'Attacked', admin_email: 'admin@attacked.example', ...key };
    const service = await company.asks(services.createService, { body });
    const client = await company.asks(serviceClient.createServiceClient, { params: { id: service.id }, body: {} });
    const rights = { name: 'Attacked', purpose: 'attacked', capabilities: [...CAPABILITIES] };
    const account = await company.asks(accountClients.createAccountClient, { body: rights });
    const backend = world.backendOf(company, { ...client, service_id: service.id });
    const code = `${company.share_code}/${service.share_code}`;
    await leaveSomething({ person, company, backend, code });
    const sealed = await person.sealsFor(service, 'a value');
    this.given = { password: company.password, code, public_key, value: sealed, body: sealed, passphrase: sealed, message: sealed };
    this.tokens = {
      service: await world.mints({ client_id: client.client_id, sub: client.client_id }),
      account: await world.mints({ client_id: account.client_id, sub: company.user_id }),
      portal: await world.mints({ client_id: 'app_portal', sub: company.user_id }),
      person: await world.mints({ client_id: 'app_person', sub: person.user_id }),
    };
    return { person, company, backend, code };
  }
}

/** Makes something of most kinds, so that lists are not empty and requests find what they name. */
async function leaveSomething({ person, company, backend, code }: Parties): Promise<void> {
  const service_id = backend.service_id!;
  await publishMailField(company, service_id, [{ slug: SCAN, label: 'A scan', type: 'document' }]);
  const connection = await person.connections.connects(code, { [SLUG]: person.email, [SCAN]: 'a scan' });
  await person.messages.sends(connection.id, await person.sealsFor(connection.service, 'Is it in stock?'));
  await backend.messages.sends(connection.id, await backend.sealsFor(person, 'It is'));
  await backend.documents.issues(person, { name: 'Terms' });
  await company.asks(webhooks.createWebhook, { params: { id: service_id }, body: { url: 'https://hook.example', auth_type: 'hmac' } });
  const flow = await company.flows.publishes(service_id, flowOf([stepOf('customer', 'start', 'Start', [field('town', 'text')])], []));
  await backend.flows.starts(flow.id, { target: { connection_id: connection.id } });
  await person.phone.enrols(backend);
  await backend.challenges.raises(person);
  await company.delegates.grants(await company.delegates.adds(person), service_id, 'the passphrase of the key');
  await person.fields.edits('email', person.email);
}

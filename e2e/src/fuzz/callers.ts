import { accountClients, CAPABILITIES, OPERATOR, serviceClient, services } from '@codase/contracts';
import type { World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { CallerKind } from './api-document.ts';

/** Refused tokens in a row after which a kind of caller has lost its client or account. */
const LOST_AFTER = 20;
const REGION = 'eu';

/** A token of each kind of caller. A request may end the client or the account behind one: then all are replaced by new ones. */
export class Callers {
  private tokens: Partial<Record<CallerKind, string>> = {};
  private readonly refused = new Map<CallerKind, number>();
  private renewing: Promise<void> | undefined;
  /** How often new callers had to sign up. */
  renewals = 0;

  private constructor(private readonly world: World) {}

  static async open(world: World): Promise<Callers> {
    const callers = new Callers(world);
    await callers.signUp();
    return callers;
  }

  tokenOf(kind: CallerKind): string | undefined {
    return this.tokens[kind];
  }

  /** Notes whether the token of a caller was accepted. Waits for new callers where an earlier one is lost. */
  async note(kind: CallerKind, status: number): Promise<void> {
    const count = status === 401 ? (this.refused.get(kind) ?? 0) + 1 : 0;
    this.refused.set(kind, count);
    if (count < LOST_AFTER) return;
    this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
    await this.renewing;
  }

  private async renew(): Promise<void> {
    this.renewals += 1;
    await this.signUp();
    this.refused.clear();
  }

  private async signUp(): Promise<void> {
    const { world } = this;
    const company = await world.signsUp({ type: 'company', region: REGION });
    const person = await world.signsUp({ type: 'person', region: REGION });
    const { setLevel } = OPERATOR;
    await (await world.operator('platform')).request(setLevel, {}, { user_id: company.user_id, level: 'business' });
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const key = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const } };
    const { id } = await company.asks(services.createService, {
      body: { name: 'Attacked', admin_email: 'admin@attacked.example', ...key },
    });
    const service = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    const rights = { name: 'Attacked', purpose: 'attacked', capabilities: [...CAPABILITIES] };
    const account = await company.asks(accountClients.createAccountClient, { body: rights });
    this.tokens = {
      service: await world.mints({ client_id: service.client_id, sub: service.client_id }),
      account: await world.mints({ client_id: account.client_id, sub: company.user_id }),
      portal: await world.mints({ client_id: 'app_portal', sub: company.user_id }),
      person: await world.mints({ client_id: 'app_person', sub: person.user_id }),
    };
  }
}

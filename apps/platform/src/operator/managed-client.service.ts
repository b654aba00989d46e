import { OPERATOR, type Capability, type RegisteredClient } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { digestSecret, newSecret } from '../access/clients/index.ts';
import { newId } from '../kit/ids.ts';

/** A client that the platform manages for a company. */
export interface ManagedClient {
  company_user_id: string;
  /** Begins with a reserved prefix. */
  purpose: string;
  name: string;
  capabilities: Capability[];
}

/** Registers a managed client. The secret is made here, and only its digest is sent. @spec D1-2.1 */
export async function registerManaged(bus: Bus, client: ManagedClient): Promise<RegisteredClient & { client_secret: string }> {
  const client_secret = newSecret();
  const registered = await bus.request(
    OPERATOR.registerManaged,
    {},
    {
      ...client,
      client_id: newId('acct'),
      kind: 'account',
      service_id: null,
      redirect_uri: null,
      secret_digest: digestSecret(client_secret),
    },
  );
  return { ...registered, client_secret };
}

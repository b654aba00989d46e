import { Controller } from '@nestjs/common';
import { accountClients, FRONT_DOOR, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { newId } from '../../kit/ids.ts';
import { digestSecret, newSecret } from './client-secret.ts';

type Portal = Caller<typeof accountClients.createAccountClient>;

/**
 * Manages the automation clients of a company. The registry belongs to the front door. The region makes the secret, shows it once, and
 * sends on only its digest. @spec D1-4.6 @spec D1-5.9
 */
@Controller()
export class AccountClientsHttp {
  constructor(private readonly frontDoor: FrontDoorRequests) {}

  @Serves(accountClients.createAccountClient)
  async create({ body }: Input<typeof accountClients.createAccountClient>, { company_user_id }: Portal) {
    const client_secret = newSecret();
    const { name, capabilities, purpose = null, redirect_uri = null } = body;
    const client = await this.frontDoor.request(
      FRONT_DOOR.registerClient,
      {},
      {
        client_id: newId('acct'),
        kind: 'account',
        company_user_id,
        service_id: null,
        name,
        capabilities,
        purpose,
        redirect_uri,
        secret_digest: digestSecret(client_secret),
      },
    );
    return { ...client, client_secret };
  }

  @Serves(accountClients.listAccountClients)
  list({ query }: Input<typeof accountClients.listAccountClients>, { company_user_id }: Portal) {
    return this.frontDoor.request(FRONT_DOOR.listClients, {}, { company_user_id, ...query });
  }

  @Serves(accountClients.changeCapabilities)
  change({ params: { id }, body }: Input<typeof accountClients.changeCapabilities>, { company_user_id }: Portal) {
    return this.frontDoor.request(FRONT_DOOR.changeClient, {}, { company_user_id, client_id: id, ...body });
  }

  @Serves(accountClients.regenerateAccountSecret)
  async regenerateSecret({ params: { id } }: Input<typeof accountClients.regenerateAccountSecret>, { company_user_id }: Portal) {
    const client_secret = newSecret();
    const secret_digest = digestSecret(client_secret);
    const { client_id } = await this.frontDoor.request(FRONT_DOOR.replaceSecret, {}, { company_user_id, client_id: id, secret_digest });
    return { client_id, client_secret };
  }

  @Serves(accountClients.rotateAccountSecret)
  async rotateSecret({ params: { id }, body }: Input<typeof accountClients.rotateAccountSecret>, { company_user_id }: Portal) {
    const client_secret = newSecret();
    const secret_digest = digestSecret(client_secret);
    const rotated = await this.frontDoor.request(FRONT_DOOR.rotateSecret, {}, { company_user_id, client_id: id, secret_digest, ...body });
    return { ...rotated, client_secret };
  }

  @Serves(accountClients.endOldAccountSecret)
  endOldSecret({ params: { id } }: Input<typeof accountClients.endOldAccountSecret>, { company_user_id }: Portal) {
    return this.frontDoor.request(FRONT_DOOR.endOldSecret, {}, { company_user_id, client_id: id });
  }

  @Serves(accountClients.readAccountClientKeys)
  readKeys({ params: { id } }: Input<typeof accountClients.readAccountClientKeys>, { company_user_id }: Portal) {
    return this.frontDoor.request(FRONT_DOOR.readKeys, {}, { company_user_id, client_id: id });
  }

  @Serves(accountClients.setAccountClientKeys)
  setKeys({ params: { id }, body }: Input<typeof accountClients.setAccountClientKeys>, { company_user_id }: Portal) {
    return this.frontDoor.request(FRONT_DOOR.setKeys, {}, { company_user_id, client_id: id, ...body });
  }

  @Serves(accountClients.deleteAccountClient)
  delete({ params: { id } }: Input<typeof accountClients.deleteAccountClient>, { company_user_id }: Portal) {
    return this.frontDoor.request(FRONT_DOOR.deleteClient, {}, { company_user_id, client_id: id });
  }
}

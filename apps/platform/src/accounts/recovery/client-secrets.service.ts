import { Injectable } from '@nestjs/common';
import { FRONT_DOOR, serviceClient, signInApps, type RecoveryKind } from '@codase/contracts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import type { RecoverySubject, RecoverySubjects } from './recovery-subjects.ts';

/** What copies of the secrets of clients are, by the kind of client, and which route gives such a secret. */
const CLIENTS = {
  service: { copies: 'client_secret', given_at: serviceClient.createServiceClient.path },
  account: { copies: 'client_secret', given_at: null },
  app: { copies: 'app_secret', given_at: signInApps.createOauthApp.path },
} as const satisfies Record<string, { copies: RecoveryKind; given_at: string | null }>;

/**
 * The secrets of data clients and account clients, and those of sign-in apps, which are clients too. The front door says which are current:
 * a secret can be replaced by anybody whom the owner lets do so, and by an operator.
 */
@Injectable()
export class ClientSecrets {
  readonly ofClients: RecoverySubjects = { find: (company_user_id, ids) => this.find('client_secret', company_user_id, ids) };
  readonly ofApps: RecoverySubjects = { find: (company_user_id, ids) => this.find('app_secret', company_user_id, ids) };

  constructor(private readonly frontDoor: FrontDoorRequests) {}

  private async find(
    copies: RecoveryKind,
    company_user_id: string,
    client_ids: readonly string[],
  ): Promise<ReadonlyMap<string, RecoverySubject>> {
    const { clients } = await this.frontDoor.request(FRONT_DOOR.readSecretIds, {}, { company_user_id, client_ids: [...client_ids] });
    const requested = clients.filter(({ kind }) => CLIENTS[kind].copies === copies);
    return new Map(
      requested.map(({ client_id, kind, service_id, secret_id }) => [
        client_id,
        { secret_id, service_id, given_at: CLIENTS[kind].given_at },
      ]),
    );
  }
}

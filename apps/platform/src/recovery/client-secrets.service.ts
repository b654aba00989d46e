import { Injectable } from '@nestjs/common';
import { FRONT_DOOR, serviceClient } from '@cds/contracts';
import { FrontDoorRequests } from '../regions/index.ts';
import type { RecoverySubject, RecoverySubjects } from './recovery-subjects.hook.ts';

/**
 * The secrets of data clients and account clients. The front door says which are current: a secret can be replaced by anybody whom the
 * owner lets do so, and by an operator.
 */
@Injectable()
export class ClientSecrets implements RecoverySubjects {
  readonly kind = 'client_secret';

  constructor(private readonly frontDoor: FrontDoorRequests) {}

  async find(company_user_id: string, client_ids: readonly string[]): Promise<ReadonlyMap<string, RecoverySubject>> {
    const { clients } = await this.frontDoor.request(FRONT_DOOR.readSecretIds, {}, { company_user_id, client_ids: [...client_ids] });
    return new Map(
      clients.map(({ client_id, service_id, secret_id }) => {
        const given_at = service_id === null ? null : serviceClient.createServiceClient.path;
        return [client_id, { secret_id, service_id, given_at }];
      }),
    );
  }
}

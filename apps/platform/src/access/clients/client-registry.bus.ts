import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from '../identity/index.ts';
import { ClientRegistry } from './client-registry.service.ts';
import { LocalSecretHashes } from './local-secret-hashes.service.ts';

const QUEUE = { queue: 'front-door', fixed: ['region'] } as const;

/** Answers requests of regions about the clients of their companies. */
@UseGuards(HomeRegionGuard)
@Controller()
export class ClientRegistryBus {
  constructor(
    private readonly registry: ClientRegistry,
    private readonly hashes: LocalSecretHashes,
  ) {}

  @Answers(FRONT_DOOR.registerClient, QUEUE)
  register(client: MessageOf<typeof FRONT_DOOR.registerClient>) {
    return this.registry.registerOwn(client);
  }

  @Answers(FRONT_DOOR.readClient, QUEUE)
  read(client: MessageOf<typeof FRONT_DOOR.readClient>) {
    return this.registry.read(client);
  }

  @Answers(FRONT_DOOR.readSecretIds, QUEUE)
  async readSecretIds({ company_user_id, client_ids }: MessageOf<typeof FRONT_DOOR.readSecretIds>) {
    return { clients: await this.registry.secretIds(company_user_id, client_ids) };
  }

  @Answers(FRONT_DOOR.listClients, QUEUE)
  list(page: MessageOf<typeof FRONT_DOOR.listClients>) {
    return this.registry.list(page);
  }

  @Answers(FRONT_DOOR.changeClient, QUEUE)
  change({ capabilities, redirect_uri, dpop_bound_access_tokens, ...client }: MessageOf<typeof FRONT_DOOR.changeClient>) {
    return this.registry.change(client, { capabilities, redirect_uri, dpop_bound_access_tokens });
  }

  @Answers(FRONT_DOOR.replaceSecret, QUEUE)
  replaceSecret({ secret_digest, ...client }: MessageOf<typeof FRONT_DOOR.replaceSecret>) {
    return this.registry.replaceSecret(client, secret_digest);
  }

  @Answers(FRONT_DOOR.rotateSecret, QUEUE)
  rotateSecret({ secret_digest, keep_old_hours, ...client }: MessageOf<typeof FRONT_DOOR.rotateSecret>) {
    return this.registry.rotateSecret(client, { secret_digest, keep_old_hours });
  }

  @Answers(FRONT_DOOR.endOldSecret, QUEUE)
  async endOldSecret(client: MessageOf<typeof FRONT_DOOR.endOldSecret>) {
    await this.registry.endOldSecret(client);
    return null;
  }

  @Answers(FRONT_DOOR.readKeys, QUEUE)
  readKeys(client: MessageOf<typeof FRONT_DOOR.readKeys>) {
    return this.registry.readKeys(client);
  }

  @Answers(FRONT_DOOR.setKeys, QUEUE)
  setKeys({ keys, required, ...client }: MessageOf<typeof FRONT_DOOR.setKeys>) {
    return this.registry.setKeys(client, { keys, required });
  }

  @Answers(FRONT_DOOR.rehashSecret, QUEUE)
  async rehashSecret({ client_id, secret_digest }: MessageOf<typeof FRONT_DOOR.rehashSecret>) {
    await this.hashes.hashAnew(client_id, secret_digest);
    return null;
  }

  @Answers(FRONT_DOOR.deleteClient, QUEUE)
  async delete(client: MessageOf<typeof FRONT_DOOR.deleteClient>) {
    await this.registry.delete(client);
    return null;
  }

  @Answers(FRONT_DOOR.withdrawClient, QUEUE)
  async withdraw(client: MessageOf<typeof FRONT_DOOR.withdrawClient>) {
    await this.registry.withdraw(client);
    return null;
  }
}

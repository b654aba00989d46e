import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type Input, type Output, type RegisteredClient, type serviceClient } from '@codase/contracts';
import { randomToken } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { digestSecret } from '../../access/clients/index.ts';
import { FrontDoorRequests, Home } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { writeLog, type Logged } from './log.store.ts';
import type { OwnService } from './service-row.ts';
import { ServiceTransitions } from './service-transitions.service.ts';
import { findService, lockService } from './services.store.ts';
import { LOG_KINDS } from './log-kinds.ts';

type Client = Output<typeof serviceClient.readServiceClient>;
type ClientChange = Input<typeof serviceClient.changeServiceClient>['body'];

const NEW_SECRET: Logged = { kind: LOG_KINDS.client_secret_replaced, message: 'The data client has a new secret' };

/** The data client of a service. Its secret is made here and shown once; the front door gets the digest. @spec D1-2.1 @spec D1-5.1 */
@Injectable()
export class ServiceClients {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
    private readonly transitions: ServiceTransitions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async create(own: OwnService, redirect_uri: string | null): Promise<Client & { client_secret: string }> {
    await findService(this.db, own);
    if (await this.transitions.hasClient(own)) throw new Refusal('services.client_exists');
    const client_id = newId('svc');
    const client_secret = randomToken();
    const { name } = await this.transitions.beginCreation(own, client_id);
    const registered = await this.register({ ...own, client_id, redirect_uri, name }, digestSecret(client_secret));
    const logged = { kind: LOG_KINDS.client_created, message: 'The data client was registered' };
    await this.transitions.completeCreation(own, client_id, (tx) => writeLog(tx, own, logged, this.clock.now()));
    return { ...presentServiceClient(registered), client_secret };
  }

  private async register(client: ServiceClient, secret_digest: string): Promise<RegisteredClient> {
    const registered = { ...client, kind: 'service', purpose: null, secret_digest } as const;
    try {
      return await this.frontDoor.request(FRONT_DOOR.registerClient, {}, { ...registered, capabilities: [] });
    } catch (error) {
      await this.transitions.abandonCreation(client, client.client_id, error);
      throw error;
    }
  }

  async read(own: OwnService): Promise<Client> {
    await findService(this.db, own);
    return presentServiceClient(await this.frontDoor.request(FRONT_DOOR.readClient, {}, own));
  }

  /** Changes the redirect URI, which null removes, and whether tokens are bound to a key. What is undefined stays as it is. @gap D1-4.7 */
  async change(own: OwnService, change: ClientChange): Promise<Client> {
    const message = messageOf(change);
    if (message === undefined) return this.read(own);
    return presentServiceClient(
      await this.changing(own, { kind: LOG_KINDS.client_changed, message }, () =>
        this.frontDoor.request(FRONT_DOOR.changeClient, {}, { ...own, ...change }),
      ),
    );
  }

  /** Replaces the secret. All tokens of the client end. @spec D1-5.1 */
  async replaceSecret(own: OwnService): Promise<{ client_id: string; client_secret: string }> {
    const client_secret = randomToken();
    const secret_digest = digestSecret(client_secret);
    const { client_id } = await this.changing(own, NEW_SECRET, () =>
      this.frontDoor.request(FRONT_DOOR.replaceSecret, {}, { ...own, secret_digest }),
    );
    return { client_id, client_secret };
  }

  /** Adds a new secret. The old one stays valid for some hours, and so do the tokens. @gap D1-4.6 */
  async rotateSecret(own: OwnService, keep_old_hours: number): Promise<Output<typeof serviceClient.rotateServiceSecret>> {
    const client_secret = randomToken();
    const request = { ...own, secret_digest: digestSecret(client_secret), keep_old_hours };
    const rotated = await this.changing(own, NEW_SECRET, () => this.frontDoor.request(FRONT_DOOR.rotateSecret, {}, request));
    return { ...rotated, client_secret };
  }

  /** Ends the old secret. The newer one stays valid, and all tokens end. @gap D1-4.6 */
  endOldSecret(own: OwnService): Promise<null> {
    return this.changing(own, { kind: LOG_KINDS.client_secret_replaced, message: 'The old secret of the data client was ended' }, () =>
      this.frontDoor.request(FRONT_DOOR.endOldSecret, {}, own),
    );
  }

  async readKeys(own: OwnService): Promise<Output<typeof serviceClient.readServiceClientKeys>> {
    await findService(this.db, own);
    return this.frontDoor.request(FRONT_DOOR.readKeys, {}, own);
  }

  /** Replaces the public keys with which the client signs in. @gap D1-5.2 */
  setKeys(
    own: OwnService,
    keys: Input<typeof serviceClient.setServiceClientKeys>['body'],
  ): Promise<Output<typeof serviceClient.setServiceClientKeys>> {
    const message = `The data client has ${keys.keys.length} keys${keys.required ? ', and its secret is refused' : ''}`;
    return this.changing(own, { kind: LOG_KINDS.client_changed, message }, () =>
      this.frontDoor.request(FRONT_DOOR.setKeys, {}, { ...own, ...keys }),
    );
  }

  remove(own: OwnService): Promise<null> {
    return this.changing(
      own,
      { kind: LOG_KINDS.client_deleted, message: 'The data client was deleted' },
      () => this.frontDoor.request(FRONT_DOOR.deleteClient, {}, own),
      (tx) => this.transitions.endClient(tx, own),
    );
  }

  /**
   * Makes a change at the front door, then logs it. When this region or the front door refuses, nothing is logged. A change that the front
   * door has made stays, even when the entry cannot be written: the owner gets the new secret even if the company began to move meanwhile.
   */
  private async changing<T>(
    own: OwnService,
    logged: Logged,
    change: () => Promise<T>,
    then: (tx: EntityManager) => Promise<void> = async () => {},
  ): Promise<T> {
    await this.home.write(own.company_user_id, (tx) => lockService(tx, own));
    const changed = await change();
    await this.home
      .write(own.company_user_id, async (tx) => {
        await lockService(tx, own);
        await then(tx);
        await writeLog(tx, own, logged, this.clock.now());
      })
      .catch((error: unknown) => this.log.warn('a change of a data client is missing in the log of its service', { error }));
    return changed;
  }
}

type ServiceClient = OwnService & Pick<RegisteredClient, 'client_id' | 'redirect_uri' | 'name'>;

/** Returns what the log says of a change; undefined when nothing is changed. */
function messageOf({ redirect_uri, dpop_bound_access_tokens }: ClientChange): string | undefined {
  const parts = [
    redirect_uri !== undefined && (redirect_uri === null ? 'no redirect URI' : 'another redirect URI'),
    dpop_bound_access_tokens !== undefined && (dpop_bound_access_tokens ? 'only tokens that are bound to a key' : 'bearer tokens'),
  ].filter(Boolean);
  return parts.length === 0 ? undefined : `The data client has ${parts.join(' and ')}`;
}

/** Returns a client as its owner reads it. Only a client with a redirect URI can use codes and refresh tokens. @spec D1-2.1 @spec D1-5.5 */
const presentServiceClient = ({ client_id, redirect_uri, dpop_bound_access_tokens, created_at }: RegisteredClient): Client => ({
  client_id,
  redirect_uri,
  dpop_bound_access_tokens,
  created_at,
  grant_types: redirect_uri === null ? ['client_credentials'] : ['client_credentials', 'authorization_code', 'refresh_token'],
});

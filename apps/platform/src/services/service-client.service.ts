import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, type Output, type RegisteredClient, type serviceClient } from '@cds/contracts';
import { randomToken } from '@cds/crypto';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { Db } from '@cds/runtime/db';
import { hashSecret, PEPPER, type Pepper } from '../clients/index.ts';
import { Home } from '../regions/index.ts';
import { REGION_DB } from '../databases.ts';
import { newId } from '../ids.ts';
import { HOLDING_SERVICE } from './holding-service.ts';
import { writeLog, type Logged } from './log.store.ts';
import type { OwnService, ServiceRow } from './service-row.ts';
import { findService, lockService } from './services.store.ts';
import { LOG_KINDS } from './log-kinds.ts';

type Client = Output<typeof serviceClient.readServiceClient>;

/**
 * The data client of a service. The front door keeps it; the secret is made here, shown once and sent on only as its hash. Every change
 * holds the service, so that no client outlives it. @spec D1-2.1 @spec D1-5.1
 */
@Injectable()
export class ServiceClients {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly home: Home,
    private readonly bus: Bus,
    @Inject(PEPPER) private readonly pepper: Pepper,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async create(own: OwnService, redirect_uri: string | null): Promise<Client & { client_secret: string }> {
    const client_secret = randomToken();
    const secret_hash = hashSecret(this.pepper, client_secret);
    const client = { ...own, client_id: newId('svc'), kind: 'service', purpose: null, redirect_uri, secret_hash } as const;
    const registered = await this.changing(own, { kind: LOG_KINDS.client_created, message: 'The data client was registered' }, ({ name }) =>
      this.bus.request(FRONT_DOOR.registerClient, {}, { ...client, name, capabilities: [] }, HOLDING_SERVICE),
    );
    return { ...presentServiceClient(registered), client_secret };
  }

  async read(own: OwnService): Promise<Client> {
    await findService(this.db, own);
    return presentServiceClient(await this.bus.request(FRONT_DOOR.readClient, {}, own));
  }

  /** Left out, it stays; null takes it away. @gap D1-4.7 */
  async changeRedirect(own: OwnService, redirect_uri: string | null | undefined): Promise<Client> {
    if (redirect_uri === undefined) return this.read(own);
    const message = `The data client has ${redirect_uri === null ? 'no redirect URI' : 'another redirect URI'}`;
    return presentServiceClient(
      await this.changing(own, { kind: LOG_KINDS.client_changed, message }, () =>
        this.bus.request(FRONT_DOOR.changeClient, {}, { ...own, redirect_uri }, HOLDING_SERVICE),
      ),
    );
  }

  /** All tokens of the client end. @spec D1-5.1 */
  async replaceSecret(own: OwnService): Promise<{ client_id: string; client_secret: string }> {
    const client_secret = randomToken();
    const secret_hash = hashSecret(this.pepper, client_secret);
    const { client_id } = await this.changing(
      own,
      { kind: LOG_KINDS.client_secret_replaced, message: 'The data client has a new secret' },
      () => this.bus.request(FRONT_DOOR.replaceSecret, {}, { ...own, secret_hash }, HOLDING_SERVICE),
    );
    return { client_id, client_secret };
  }

  remove(own: OwnService): Promise<null> {
    return this.changing(own, { kind: LOG_KINDS.client_deleted, message: 'The data client was deleted' }, () =>
      this.bus.request(FRONT_DOOR.deleteClient, {}, own, HOLDING_SERVICE),
    );
  }

  /** The front door decides last: where it refuses, nothing is logged. */
  private changing<T>(own: OwnService, logged: Logged, change: (service: ServiceRow) => Promise<T>): Promise<T> {
    return this.home.write(own.company_user_id, async (tx) => {
      const service = await lockService(tx, own);
      await writeLog(tx, own, logged, this.clock.now());
      return change(service);
    });
  }
}

/** Codes and refresh tokens need an address to come back to. @spec D1-2.1 @spec D1-5.5 */
const presentServiceClient = ({ client_id, redirect_uri, created_at }: RegisteredClient): Client => ({
  client_id,
  redirect_uri,
  created_at,
  grant_types: redirect_uri === null ? ['client_credentials'] : ['client_credentials', 'authorization_code', 'refresh_token'],
});

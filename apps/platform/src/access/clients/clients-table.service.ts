import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Bus, ProjectionWriter, type ProjectionReader } from '@codase/runtime/bus';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { changeAndPublish, republishMisfits } from '../../kit/outbox/change-and-publish.service.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { KeyList } from '../../kit/secrets/key-list.ts';
import { ClientRow, CLIENTS, type ClientLookup } from './client-row.ts';
import { CLIENT_ROWS } from './clients-replica.service.ts';
import { PEPPERS, verifierOf } from './client-secret.ts';
import type { Peppers } from './peppers.service.ts';
import { ClientsStore, type EntitledRow } from './clients.store.ts';

/** Rows that are published in one transaction when the front door starts. */
const BATCH = 500;

/** The front door's view of the registry: the table itself, which it publishes to the regions. */
@Injectable()
export class ClientsTable implements ClientLookup, OnModuleInit {
  private projection!: ProjectionWriter<typeof CLIENTS.shape>;

  constructor(
    private readonly store: ClientsStore,
    private readonly bus: Bus,
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    @Inject(LOG) private readonly log: Log,
    @Inject(CLIENT_ROWS) private readonly published: ProjectionReader<typeof CLIENTS.shape>,
    @Inject(PEPPERS) private readonly peppers: Peppers,
  ) {}

  async clientOf(client_id: string): Promise<ClientRow | undefined> {
    const client = await this.store.find(client_id);
    return client && publishedClient(client, this.peppers);
  }

  /** Publishes all clients before anything is answered: some may have changed while the bus did not answer. The table is the truth. */
  async onModuleInit(): Promise<void> {
    this.projection = await ProjectionWriter.open(this.bus, CLIENTS);
    republishMisfits(this.published, this.log, (id) => this.db.transaction((tx) => this.publishCurrent(id, tx)));
    await this.publishAll();
    this.peppers.whenRotated(() => this.publishAll());
  }

  private async publishAll(): Promise<void> {
    for (let last: string | undefined = ''; last !== undefined;) last = await this.publishBatchAfter(last);
  }

  /** Changes a client. The change is published before it is committed: both happen or neither. The work locks the client's row. */
  change<T>(client_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return changeAndPublish(this.db, this.log, { change: work, publish: (tx) => this.publishCurrent(client_id, tx) });
  }

  /** Changes a company. What that means for its clients is published to the regions before it is committed: both happen or neither. */
  changeCompany<T>(company_user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const publish = async (tx: EntityManager) => {
      for (const client_id of await this.store.ofCompany(company_user_id, tx)) await this.publishCurrent(client_id, tx);
    };
    return changeAndPublish(this.db, this.log, { change: work, publish });
  }

  /** Publishes a row in the transaction that has it locked, so that two changes are published in their order. */
  publish(client: EntitledRow): Promise<void> {
    return this.projection.put(client.client_id, publishedClient(client, this.peppers));
  }

  unpublish(client_id: string): Promise<void> {
    return this.projection.remove(client_id);
  }

  /** Publishes a client as it is in the table, or removes it from the bucket when the table does not have it. */
  republish(client_id: string): Promise<void> {
    return this.db.transaction((tx) => this.publishCurrent(client_id, tx));
  }

  private async publishCurrent(client_id: string, tx: EntityManager): Promise<void> {
    await this.store.hold(client_id, tx);
    const client = await this.store.find(client_id, tx);
    await (client ? this.publish(client) : this.unpublish(client_id));
  }

  /**
   * Publishes the next batch of clients. They are locked meanwhile, since another replica may be changing them. Returns the last id of a
   * full batch; undefined after the last batch.
   */
  private publishBatchAfter(client_id: string): Promise<string | undefined> {
    return this.db.transaction(async (tx) => {
      const locked = await this.store.holdAfter(client_id, BATCH, tx);
      const clients = await this.store.after(client_id, BATCH, tx);
      await Promise.all(clients.filter((client) => locked.has(client.client_id)).map((client) => this.publish(client)));
      return clients.length < BATCH ? undefined : clients.at(-1)!.client_id;
    });
  }
}

/** A client as every base knows it. */
export function publishedClient(client: EntitledRow, peppers: KeyList): ClientRow {
  const { client_id, secret_hash, old_secret_hash, old_secret_until } = client;
  const secrets = [
    secret_hash !== null && verifierOf(peppers, client_id, secret_hash),
    old_secret_hash !== null && verifierOf(peppers, client_id, old_secret_hash, old_secret_until),
  ];
  return ClientRow.parse({ ...client, secrets: secrets.filter(Boolean) });
}

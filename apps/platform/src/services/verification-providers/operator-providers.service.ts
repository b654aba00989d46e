import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Refusal, type AuditAct, type NewProviderKey, type NewVerificationProvider } from '@codase/contracts';
import { Bus, ProjectionWriter, type ProjectionReader } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { changeAndPublish, republishMisfits } from '../../kit/outbox/change-and-publish.service.ts';
import { keyObject } from './audited-key.ts';
import { newProvider, removed, withNewKey, withoutKey } from './provider-changes.ts';
import { PROVIDER_ROWS, PROVIDERS, type ProviderRow } from './provider-rows.ts';
import { ProvidersStore } from './providers.store.ts';

/** What is recorded of a change. */
type Recorded = [act: AuditAct, object: string];

/** Registers the providers of an operator, and publishes them to the regions. @gap D1-2.7 */
@Injectable()
export class OperatorProviders implements OnApplicationBootstrap, OnApplicationShutdown {
  private projection!: ProjectionWriter<typeof PROVIDERS.shape>;

  constructor(
    private readonly store: ProvidersStore,
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    @Inject(LOG) private readonly log: Log,
    @Inject(PROVIDER_ROWS) private readonly published: ProjectionReader<typeof PROVIDERS.shape>,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Publishes all providers: the table is the truth, and some may have changed while the bus did not answer. */
  async onApplicationBootstrap(): Promise<void> {
    this.projection = await ProjectionWriter.open(this.bus, PROVIDERS);
    republishMisfits(this.published, this.log, (id) => this.db.transaction((tx) => this.publish(id, tx)));
    const rows = [...(await this.store.all()), ...this.published.all()];
    for (const id of new Set(rows.map((row) => row.provider_id))) await this.db.transaction((tx) => this.publish(id, tx));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.published.close();
  }

  async list(): Promise<ProviderRow[]> {
    return (await this.store.all()).filter((row) => !row.removed);
  }

  add(given: NewVerificationProvider): Promise<void> {
    const { provider_id } = given;
    return this.change(provider_id, ['verification_provider.added', provider_id], (known) => newProvider(given, known));
  }

  addKey(provider_id: string, key: NewProviderKey, overlap_days: number): Promise<void> {
    const recorded: Recorded = ['verification_provider.key_added', keyObject(provider_id, key.kid)];
    return this.change(provider_id, recorded, (known) => withNewKey(found(known), key, this.clock.now(), overlap_days));
  }

  revokeKey(provider_id: string, kid: string): Promise<void> {
    const recorded: Recorded = ['verification_provider.key_revoked', keyObject(provider_id, kid)];
    return this.change(provider_id, recorded, (known) => withoutKey(found(known), kid));
  }

  remove(provider_id: string): Promise<void> {
    return this.change(provider_id, ['verification_provider.removed', provider_id], (known) => removed(found(known)));
  }

  /** Stores and publishes what becomes of a provider. */
  private change(id: string, [act, object]: Recorded, next: (known: ProviderRow | undefined) => ProviderRow): Promise<void> {
    return changeAndPublish(this.db, this.log, {
      change: async (tx: EntityManager) => {
        await this.store.lock(tx);
        await this.store.put(next(await this.store.find(id, tx)), tx);
        await this.audit.record(tx, { act, object });
      },
      publish: (tx) => this.publish(id, tx),
    });
  }

  /** Publishes a provider as the table has it. The lock keeps its order with other changes. */
  private async publish(id: string, tx: Db): Promise<void> {
    await this.store.lock(tx);
    const row = await this.store.find(id, tx);
    await (row ? this.projection.put(id, row) : this.projection.remove(id));
  }
}

function found(provider: ProviderRow | undefined): ProviderRow {
  if (!provider || provider.removed) throw new Refusal('verification.provider_not_found');
  return provider;
}

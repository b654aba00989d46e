import { Inject, Injectable } from '@nestjs/common';
import { DELIVERY, Refusal, WEBHOOK_DELIVERY, WEBHOOKS_PER_SERVICE, type AuditAct, type Output, type webhooks } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { HERE, Home, writeIfHome, type Here } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { removeSome } from '../feed/index.ts';
import { newId } from '../../kit/ids.ts';
import { findService, lockService, writeLog, type OwnService } from '../services/index.ts';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { completeSecrets, mergeSecrets, SECRETS, secretsFor, withPrevious, type Secrets, type WebhookBody } from './secrets.ts';
import { hostOf, presentWebhook, type Backlog, type ConfiguredWebhook, type WebhookRow } from './webhook-row.ts';
import { backlogsOf, findWebhook, listWebhooks, putWebhook, removeWithoutEvents, type OwnWebhook } from './webhooks.store.ts';
import { LOG_KINDS } from './log-kinds.ts';
import type { LogKind } from '../../kit/log-kinds.ts';

type Written = Output<typeof webhooks.createWebhook>;
type PresentedWebhook = Output<typeof webhooks.readWebhook>;
type Tested = Output<typeof webhooks.testWebhook>;

/** How long a test may take: it waits for a delivery under way, lasts as long as one itself, and travels there and back. */
const TEST_TIMEOUT_MS = 2 * WEBHOOK_DELIVERY.seconds * 1000 + 5000;

const ACTS: Readonly<Record<string, AuditAct>> = {
  [LOG_KINDS.webhook_created]: 'webhook.created',
  [LOG_KINDS.webhook_changed]: 'webhook.changed',
  [LOG_KINDS.webhook_deleted]: 'webhook.deleted',
};

/** The configuration of webhooks. Each change locks the service, so that two changes come one after the other. @spec D1-2.9 */
@Injectable()
export class Webhooks {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    @Inject(STORED_SECRETS) private readonly stored: StoredSecrets,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly bus: Bus,
    @Inject(HERE) private readonly here: Here,
    private readonly audit: Audit,
  ) {}

  async list(own: OwnService): Promise<PresentedWebhook[]> {
    await findService(this.db, own);
    const rows = await listWebhooks(this.db, own);
    const backlogOf = await this.backlogsOf(rows);
    return rows.map((row) => this.present(row, backlogOf(row.webhook_id)));
  }

  async read(own: OwnWebhook): Promise<PresentedWebhook> {
    await findService(this.db, own);
    const row = await findWebhook(this.db, own);
    return this.present(row, (await this.backlogsOf([row]))(row.webhook_id));
  }

  /** Asks the delivery to send a test event, as it sends everything else: the region itself sends nothing out. @gap D1-4.7 */
  async test(own: OwnWebhook): Promise<Tested> {
    await findService(this.db, own);
    const { webhook_id } = await findWebhook(this.db, own);
    const region = this.here.base === 'region' ? this.here.region : '';
    return this.bus.request(DELIVERY.test, { region }, { webhook_id }, { timeout: TEST_TIMEOUT_MS });
  }

  create(own: OwnService, body: WebhookBody): Promise<Written> {
    const now = this.clock.now();
    return this.home.write(own.company_user_id, async (tx) => {
      await lockService(tx, own);
      checkCapacity(await listWebhooks(tx, own));
      const fresh = {
        ...own,
        webhook_id: newId('wh'),
        secret_id: null,
        health: 'running',
        health_since: now,
        next_probe_at: null,
        created_at: now,
      } as const;
      return this.put(tx, fresh, { body, stored: {}, kind: LOG_KINDS.webhook_created });
    });
  }

  change(own: OwnWebhook, body: WebhookBody): Promise<Written> {
    return this.home.write(own.company_user_id, async (tx) => {
      await lockService(tx, own);
      const standing = await findWebhook(tx, own);
      const stored = secretsFor({ from: standing.url, to: body.url }, this.secretsOf(standing), body);
      const next_probe_at = isMended(standing, stored, body) ? this.clock.now() : standing.next_probe_at;
      return this.put(tx, { ...standing, next_probe_at }, { body, stored, kind: LOG_KINDS.webhook_changed });
    });
  }

  /** Deletes a webhook with its backlog. The log keeps a line about it. @spec D1-6.3 */
  async remove(own: OwnWebhook): Promise<void> {
    await this.home.write(own.company_user_id, async (tx) => {
      await lockService(tx, own);
      const row = await findWebhook(tx, own);
      await removeWithoutEvents(tx, own);
      await this.log(tx, row, LOG_KINDS.webhook_deleted);
    });
    await this.removeBacklog(own);
  }

  /** Deletes the events that waited for a deleted webhook, some in each transaction: there may be any number. */
  private async removeBacklog({ company_user_id, webhook_id }: OwnWebhook): Promise<void> {
    for (let removed = 1; removed > 0;) removed = (await writeIfHome(this.db, company_user_id, (tx) => removeSome(tx, webhook_id))) ?? 0;
  }

  private async put(tx: EntityManager, standing: Standing, { body, stored, kind }: Change): Promise<Written> {
    const { secrets: complete, ...once } = completeSecrets(body, mergeSecrets(stored, body));
    const secrets = withPrevious(stored, complete, this.clock.now());
    const { url, format, auth_type, encrypt_payload, standard_webhooks, enabled } = body;
    const events = [...new Set(body.events)];
    const sealed_secrets = this.stored.seal(secrets, standing.webhook_id);
    const secret_id = secrets.hmac_secret === stored.hmac_secret ? standing.secret_id : newId('sec');
    const config = { url, events, format, auth_type, encrypt_payload, standard_webhooks, enabled };
    const row = await putWebhook(tx, { ...standing, ...config, sealed_secrets, secret_id });
    await this.log(tx, row, kind);
    const backlogOf = await this.backlogsOf([row], tx);
    return { ...presentWebhook(row, secrets, backlogOf(row.webhook_id)), ...once };
  }

  /** Logs the change with the host alone, because the rest of the address may carry a secret. */
  private async log(tx: EntityManager, row: WebhookRow, kind: LogKind): Promise<void> {
    await this.audit.record(tx, { act: ACTS[kind]!, account_id: row.company_user_id, object: row.webhook_id });
    const message = `The webhook to ${hostOf(row)} was ${kind.replace('webhook_', '')}`;
    await writeLog(tx, row, { kind, message, webhook_id: row.webhook_id }, this.clock.now());
  }

  private backlogsOf(rows: readonly WebhookRow[], db: Db = this.db) {
    const ids = rows.map(({ webhook_id }) => webhook_id);
    return backlogsOf(db, ids, this.clock.now());
  }

  private present(row: WebhookRow, backlog: Backlog): PresentedWebhook {
    return presentWebhook(row, this.secretsOf(row), backlog);
  }

  private secretsOf({ sealed_secrets, webhook_id }: WebhookRow): Secrets {
    return this.stored.open(sealed_secrets, webhook_id);
  }
}

/** The members of a webhook that its owner does not set. */
type Standing = Pick<
  ConfiguredWebhook,
  'webhook_id' | 'company_user_id' | 'service_id' | 'secret_id' | 'health' | 'health_since' | 'next_probe_at' | 'created_at'
>;

interface Change {
  body: WebhookBody;
  /** The secrets before the change. */
  stored: Secrets;
  kind: LogKind;
}

/** Whether a bad webhook may work again, because its address, authentication or secrets changed: it is then probed at once. @gap D1-3.2 */
function isMended({ health, url, auth_type, standard_webhooks }: WebhookRow, stored: Secrets, body: WebhookBody): boolean {
  const merged = mergeSecrets(stored, body);
  const isSigned = auth_type === body.auth_type && standard_webhooks === body.standard_webhooks;
  const isChanged = url !== body.url || !isSigned || SECRETS.some((name) => merged[name] !== stored[name]);
  return health === 'bad' && isChanged;
}

/** @gap D1-8 */
function checkCapacity(standing: readonly WebhookRow[]): void {
  if (standing.length < WEBHOOKS_PER_SERVICE) return;
  throw new Refusal('request.invalid').because(`A service has at most ${WEBHOOKS_PER_SERVICE} webhooks: delete one first`);
}

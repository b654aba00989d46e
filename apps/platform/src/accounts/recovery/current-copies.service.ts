import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, serviceClient, services, signInApps, webhooks, type RecoveryKind } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { servicesAmong } from '../../services/services/index.ts';
import { signingSecretsAmong } from '../../services/webhooks/index.ts';
import type { CopyRow } from './recovery-copies.store.ts';

/** Something of a company whose secret a recovery copy can be a copy of. */
export interface RecoverySubject {
  /** Says which secret the subject has now: another secret has another id. It says nothing of the secret. */
  secret_id: string;
  /** The service with which copies of the secret are deleted; null when there is none. */
  service_id: string | null;
  /** The path of the route that gives the secret. Account clients that may not call it store no copies. Null: the portal alone calls it. */
  given_at: string | null;
}

/** Returns those of the subjects that the company has, by their ids. At most `SECRET_IDS_AT_ONCE` are asked for. */
type Find = (company_user_id: string, subject_ids: readonly string[]) => Promise<ReadonlyMap<string, RecoverySubject>>;

/** What copies of the secrets of clients are, by the kind of client, and which route gives such a secret. */
const CLIENTS = {
  service: { copies: 'client_secret', given_at: serviceClient.createServiceClient.path },
  account: { copies: 'client_secret', given_at: null },
  app: { copies: 'app_secret', given_at: signInApps.createOauthApp.path },
} as const satisfies Record<string, { copies: RecoveryKind; given_at: string | null }>;

/** Services never get another key, so each has one passphrase for good. */
const ONLY = 'only';

/** Knows of which secrets there can be copies, and which copies are copies of a secret that is still good. @spec D1-5.1 */
@Injectable()
export class CurrentCopies {
  /** What finds the subjects of each kind: a kind of which nobody knows the subjects does not compile. */
  private readonly finders: Readonly<Record<RecoveryKind, Find>> = {
    client_secret: (company_user_id, ids) => this.findClients('client_secret', company_user_id, ids),
    app_secret: (company_user_id, ids) => this.findClients('app_secret', company_user_id, ids),
    /** The passphrases of service keys, which the creator of a service chooses. @spec D1-2.4 */
    service_passphrase: async (company_user_id, ids) => {
      const found = await servicesAmong(this.db, company_user_id, ids);
      return new Map(found.map((service_id) => [service_id, { secret_id: ONLY, service_id, given_at: services.createService.path }]));
    },
    /** The secrets that sign what webhooks deliver. @spec D1-5.9 */
    webhook_secret: async (company_user_id, ids) => {
      const found = await signingSecretsAmong(this.db, company_user_id, ids);
      return new Map(found.map(({ webhook_id, ...subject }) => [webhook_id, { ...subject, given_at: webhooks.createWebhook.path }]));
    },
  };

  constructor(
    private readonly frontDoor: FrontDoorRequests,
    @Inject(REGION_DB) private readonly db: Db,
  ) {}

  /** Returns the subject of a copy if the company has it. */
  async subjectOf(company_user_id: string, kind: RecoveryKind, subject_id: string): Promise<RecoverySubject | undefined> {
    return (await this.finders[kind](company_user_id, [subject_id])).get(subject_id);
  }

  /** Returns those of the copies whose subject still has the secret that they are copies of. */
  async among<C extends CopyRow>(company_user_id: string, copies: readonly C[]): Promise<C[]> {
    const found = new Map<RecoveryKind, ReadonlyMap<string, RecoverySubject>>();
    for (const [kind, some] of Map.groupBy(copies, (copy) => copy.kind))
      found.set(kind, await this.finders[kind](company_user_id, [...new Set(some.map(({ subject_id }) => subject_id))]));
    return copies.filter(({ kind, subject_id, secret_id }) => found.get(kind)?.get(subject_id)?.secret_id === secret_id);
  }

  /** Asks the front door which secrets of clients are current: whoever the owner lets replace one does it there, and an operator. */
  private async findClients(copies: RecoveryKind, ...[company_user_id, client_ids]: Parameters<Find>): ReturnType<Find> {
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

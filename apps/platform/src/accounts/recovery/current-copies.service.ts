import { Injectable } from '@nestjs/common';
import type { RecoveryKind } from '@codase/contracts';
import { ClientSecrets } from './client-secrets.service.ts';
import type { CopyRow } from './recovery-copies.store.ts';
import type { RecoverySubject, RecoverySubjects } from './recovery-subjects.ts';
import { ServicePassphrases } from './service-passphrases.service.ts';
import { WebhookSecrets } from './webhook-secrets.service.ts';

/** Knows of which secrets there can be copies, and which copies are copies of a secret that is still good. */
@Injectable()
export class CurrentCopies {
  /** What knows the subjects of each kind: a kind of which nobody knows the subjects does not compile. */
  private readonly sources: Readonly<Record<RecoveryKind, RecoverySubjects>>;

  constructor(clients: ClientSecrets, passphrases: ServicePassphrases, webhooks: WebhookSecrets) {
    this.sources = {
      client_secret: clients.ofClients,
      app_secret: clients.ofApps,
      service_passphrase: passphrases,
      webhook_secret: webhooks,
    };
  }

  /** Returns the subject of a copy if the company has it. */
  async subjectOf(company_user_id: string, kind: RecoveryKind, subject_id: string): Promise<RecoverySubject | undefined> {
    return (await this.sources[kind].find(company_user_id, [subject_id])).get(subject_id);
  }

  /** Returns those of the copies whose subject still has the secret that they are copies of. */
  async among<C extends CopyRow>(company_user_id: string, copies: readonly C[]): Promise<C[]> {
    const kinds = [...new Set(copies.map(({ kind }) => kind))];
    const found = new Map<RecoveryKind, ReadonlyMap<string, RecoverySubject>>();
    for (const kind of kinds) {
      const ids = copies.filter((copy) => copy.kind === kind).map(({ subject_id }) => subject_id);
      found.set(kind, await this.sources[kind].find(company_user_id, [...new Set(ids)]));
    }
    return copies.filter(({ kind, subject_id, secret_id }) => found.get(kind)?.get(subject_id)?.secret_id === secret_id);
  }
}

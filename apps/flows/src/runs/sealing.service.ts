import { Injectable } from '@nestjs/common';
import { Refusal, type Request, type Run, type runs, type Sealed } from '@codase/contracts';
import { importValuePublicKey, sealValue, type ValuePublicKey } from '@codase/crypto';
import type { ReadyTurn } from '@codase/domain/flow-language';
import type { Copies } from '../turns/given-answers.ts';
import { Platform } from './platform.service.ts';

/** The sealed answers that are submitted for a turn. */
export type Submission = Request<typeof runs.answerRun>['body'];
type Bound = Pick<Run, 'bindings' | 'participants' | 'company_user_id'>;

/** Seals answers once for each bound party: for the company with the service key, for a customer with the customer's key. @spec D2-4.2 */
@Injectable()
export class SealingService {
  constructor(private readonly platform: Platform) {}

  /** Seals the answers of a turn. A file is already sealed: the platform gets a reference to each party's own copy. @spec D2-4.2 */
  async seal(service: string, run: Bound, { answers, onward }: ReadyTurn, files: ReadonlyMap<string, Copies>): Promise<Submission> {
    const isSealed = answers.some(({ is_file }) => !is_file);
    const keys = isSealed ? await this.importedKeys(service, run) : new Map<string, ValuePublicKey>();
    const sealed = answers.map(async ({ slug, plaintext, is_file, source_private }) => ({
      slug,
      values: is_file ? referencesTo(files.get(slug)!) : await Promise.all([...keys].map(([user, key]) => copyOf(user, key, plaintext))),
      source_private,
    }));
    return { answers: await Promise.all(sealed), ...onward };
  }

  private async importedKeys(service: string, run: Bound): Promise<Map<string, ValuePublicKey>> {
    const keys = Object.entries(await this.keysOf(service, run));
    return new Map(await Promise.all(keys.map(async ([user, key]) => [user, await importValuePublicKey(key)] as const)));
  }

  async keysOf(service: string, { bindings, participants, company_user_id }: Bound): Promise<Record<string, string>> {
    const platform = this.platform.of(service);
    const connectionOf = new Map(participants.map(({ person_user_id, connection_id }) => [person_user_id, connection_id]));
    const keyOf = async (user: string): Promise<string> => {
      if (user === company_user_id) return platform.ownKey();
      const connection_id = connectionOf.get(user);
      if (!connection_id)
        throw new Refusal('keys.not_found').because('A party of the run has no connection, so its key cannot be looked up');
      return platform.keys.of({ connection_id });
    };
    const users = [...new Set(Object.values(bindings))];
    return Object.fromEntries(await Promise.all(users.map(async (user) => [user, await keyOf(user)] as const)));
  }
}

const copyOf = async (for_user_id: string, key: ValuePublicKey, plaintext: string) => ({
  for_user_id,
  value: (await sealValue(key, plaintext)) as Sealed,
});

const referencesTo = (copies: Copies) =>
  Object.entries(copies).map(([for_user_id, file]) => ({ for_user_id, value: JSON.stringify({ _enc_file: file }) }));

import { Injectable } from '@nestjs/common';
import { Refusal, type Request, type Run, type runs, type Sealed } from '@cds/contracts';
import { importValuePublicKey, sealValue, type ValuePublicKey } from '@cds/crypto';
import type { ReadyTurn } from '@cds/domain/flow-language';
import { Platform } from './platform.service.ts';

/** What is submitted for a turn. */
export type Submission = Request<typeof runs.answerRun>['body'];
type Bound = Pick<Run, 'bindings' | 'participants' | 'company_user_id'>;

/** Seals answers, once for each bound party: the company by the key of the service, a customer by the customer's own. @spec D2-4.2 */
@Injectable()
export class SealingService {
  constructor(private readonly platform: Platform) {}

  async seal(service: string, run: Bound, { answers, onward }: ReadyTurn): Promise<Submission> {
    const keys = answers.length > 0 ? await this.keysOf(service, run) : new Map<string, ValuePublicKey>();
    const sealed = answers.map(async ({ slug, plaintext, source_private }) => ({
      slug,
      values: await Promise.all([...keys].map(([for_user_id, key]) => copyOf(for_user_id, key, plaintext))),
      source_private,
    }));
    return { answers: await Promise.all(sealed), ...onward };
  }

  /** The key of each bound user. */
  private async keysOf(service: string, { bindings, participants, company_user_id }: Bound): Promise<Map<string, ValuePublicKey>> {
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
    return new Map(await Promise.all(users.map(async (user) => [user, await importValuePublicKey(await keyOf(user))] as const)));
  }
}

const copyOf = async (for_user_id: string, key: ValuePublicKey, plaintext: string) => ({
  for_user_id,
  value: (await sealValue(key, plaintext)) as Sealed,
});

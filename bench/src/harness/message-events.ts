import { randomUUID } from 'node:crypto';
import type { Sealed } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import type { NewEvent } from '@codase/platform';
import { DEMO, type Secrets } from '@codase/stack';

const PERSONS = 5000;
const TEXT = '{"street":"Storgatan 1","postal_code":"211 34","city":"Malmö","country":"SE"}';
const TEXTS = 50;

/** Messages of many persons to services of the demo's company, each with a value sealed to the key of the demo's service. */
export class MessageEvents {
  private made = 0;

  private constructor(readonly sealed: readonly Sealed[]) {}

  static async of(secrets: Secrets): Promise<MessageEvents> {
    const key = await importValuePublicKey(secrets.known(`keys/${DEMO.keys.shop}.public`));
    return new MessageEvents(await Promise.all(Array.from({ length: TEXTS }, async () => (await sealValue(key, TEXT)) as Sealed)));
  }

  next(service_id: string, message_id = `msg_${randomUUID()}`): NewEvent {
    const [at, person, body] = [new Date().toISOString(), `usr_${++this.made % PERSONS}`, this.sealed[this.made % this.sealed.length]!];
    return {
      company_user_id: DEMO.keys.account,
      service_id,
      event: {
        event: 'message_received',
        person_user_id: person,
        share_code: null,
        at,
        connection_id: `con_${person}`,
        message_id,
        person_public_key: 'x',
        created_at: at,
        body,
      },
    };
  }
}

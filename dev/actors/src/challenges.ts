import { randomUUID } from 'node:crypto';
import { twofa, type Output } from '@codase/contracts';
import { Facet } from './stranger.ts';

/** The challenges that a company's backend raises for the persons who are enrolled for its service. */
export class Challenges extends Facet {
  /** Asks a person to approve a login, with a new idempotency key when none is given. @spec D1-4.5 */
  raises(
    { share_code }: { share_code: string },
    { key = randomUUID(), context = 'Sign-in from Berlin' }: { key?: string; context?: string } = {},
  ): Promise<Output<typeof twofa.raiseChallenge>> {
    return this.actor.asks(twofa.raiseChallenge, { body: { share_code, idempotency_key: key, context } });
  }

  /** Reads the outcome. The first read consumes it. @spec D1-4.5 */
  polls({ challenge_id }: { challenge_id: string }): Promise<Output<typeof twofa.pollChallenge>> {
    return this.actor.asks(twofa.pollChallenge, { params: { challenge_id } });
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@cds/contracts';
import type { Person } from '@cds/testing';

/** What a person does with a card. */
export type Tap = 'approve' | 'deny' | 'nothing';

const AGAIN_MS = 300;
const TOO_LATE = ['twofa.challenge_closed', 'twofa.challenge_not_found'];

/** The taps of persons, written down before they are made: an approval that nobody tapped was not given. */
export class Phones {
  readonly approved = new Set<string>();
  private readonly tapping = new Set<Promise<void>>();

  /** Begins a tap, and makes it again until the platform has answered or it is too late. */
  begin(person: Person, challenge_id: string, tap: Tap, expires_at: string): void {
    if (tap === 'nothing') return;
    if (tap === 'approve') this.approved.add(challenge_id);
    const tapped = this.tap(person, challenge_id, tap, new Date(expires_at)).finally(() => this.tapping.delete(tapped));
    this.tapping.add(tapped);
  }

  async done(): Promise<void> {
    await Promise.all(this.tapping);
  }

  private async tap(person: Person, challenge_id: string, tap: Exclude<Tap, 'nothing'>, until: Date): Promise<void> {
    while (new Date() < until) {
      try {
        await (tap === 'approve' ? person.phone.approves({ challenge_id }) : person.phone.denies({ challenge_id }));
        return;
      } catch (error) {
        if (error instanceof Refusal && TOO_LATE.includes(error.key)) return;
        await pause(AGAIN_MS);
      }
    }
  }
}

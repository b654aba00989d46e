import type { LoginResult, Raised } from '@codase/client';
import type { Person } from '@codase/testing';
import { platformKey } from '@codase/twofa';
import type { Step } from './steps.ts';

/** What a person does with a card on the phone. */
export type Tap = 'approve' | 'deny' | 'type other digits' | 'nothing';

/** One login, from the first request to its outcome. */
export interface Login {
  nth: number;
  key: string;
  person: Person;
  tap: Tap;
  context: string;
  reached: Set<Step>;
  /** The raised challenge as the caller got it. */
  raised?: Raised;
  result?: LoginResult;
  /** The answer to a second request with the same key. */
  repeated?: LoginResult;
  /** The longest that a call went on beyond the life of the challenge, or beyond the time it had to raise it. */
  lateMs: number;
}

/** The logins, found by any identifier that a step shows. A person has one login at a time. */
export class Logins {
  readonly all: Login[] = [];
  private readonly byKey = new Map<string, Login>();
  private readonly byPerson = new Map<string, Login>();
  private readonly byChallenge = new Map<string, Login>();
  private readonly byContext = new Map<string, Login>();

  constructor(private readonly asker: string) {}

  begin(person: Person, tap: Tap, key: string): Login {
    const nth = this.all.length;
    const login: Login = { nth, key, person, tap, context: `Sign-in number ${nth}`, reached: new Set(), lateMs: 0 };
    this.all.push(login);
    this.byKey.set(key, login);
    this.byKey.set(platformKey(this.asker, { share_code: person.share_code, idempotency_key: key, context: login.context }), login);
    this.byPerson.set(person.user_id, login);
    this.byContext.set(login.context, login);
    return login;
  }

  withKey(key: string): Login | undefined {
    return this.byKey.get(key);
  }

  ofPerson({ user_id }: Person): Login | undefined {
    return this.byPerson.get(user_id);
  }

  ofChallenge(challenge_id: string): Login | undefined {
    return this.byChallenge.get(challenge_id);
  }

  ofCard(context: string): Login | undefined {
    return this.byContext.get(context);
  }

  ofRow(person_user_id: string, challenge_id: string | null): Login | undefined {
    const login = (challenge_id !== null && this.byChallenge.get(challenge_id)) || this.byPerson.get(person_user_id);
    if (login && challenge_id !== null) this.byChallenge.set(challenge_id, login);
    return login;
  }
}

import type { LoginResult, Raised } from '@cds/client';
import type { Person } from '@cds/testing';
import { platformKey } from '@cds/twofa';
import type { Step } from './steps.ts';

/** What a person does with a card. */
export type Tap = 'approve' | 'deny' | 'type other digits' | 'nothing';

/** One login, from the first request to its outcome. */
export interface Login {
  nth: number;
  key: string;
  person: Person;
  tap: Tap;
  context: string;
  reached: Set<Step>;
  /** As the asker was told. */
  raised?: Raised;
  result?: LoginResult;
  /** What the same key was answered once more. */
  repeated?: LoginResult;
  /** The longest that a call of the asker went on beyond the life of the challenge, or beyond the time it was given to raise it. */
  lateMs: number;
}

/** Found by whatever a step shows of it. A person has one login at a time. */
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

  /** By the key of the asker, or the one that the platform knows. */
  withKey(key: string): Login | undefined {
    return this.byKey.get(key);
  }

  /** The one under way, or the last. */
  ofPerson({ user_id }: Person): Login | undefined {
    return this.byPerson.get(user_id);
  }

  ofChallenge(challenge_id: string): Login | undefined {
    return this.byChallenge.get(challenge_id);
  }

  ofCard(context: string): Login | undefined {
    return this.byContext.get(context);
  }

  /** By the row of a challenge, of which the id may be new. */
  ofRow(person_user_id: string, challenge_id: string | null): Login | undefined {
    const login = (challenge_id !== null && this.byChallenge.get(challenge_id)) || this.byPerson.get(person_user_id);
    if (login && challenge_id !== null) this.byChallenge.set(challenge_id, login);
    return login;
  }
}

import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  ACCESS_TOKEN_SECONDS,
  AUTHORIZATION_CODE_SECONDS,
  REFRESH_TOKEN_DAYS,
  Refusal,
  SESSION_DAYS,
  type Output,
  type tokens,
} from '@codase/contracts';
import { Bus, ProjectionWriter, type ProjectionReader } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { republishMisfits } from '../../kit/outbox/change-and-publish.service.ts';
import { Audit, doneSince } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { BASES, Modes, type Bases } from '../../foundation/regions/index.ts';
import { accountOf, type Claims } from './access-token.ts';
import { ALL_SESSIONS, REVOCATIONS } from './revocations.ts';
import { REVOCATION_ROWS } from './revoked-tokens.service.ts';
import { hashGrantSecret, newGrantSecret } from './grant-secret.ts';
import { METRICS } from './metrics.ts';
import type { BoundKey, CodeRedemption, Rotation, Sessions, SignedIn, SignInProof } from './sessions.ts';
import { SESSION_BOUND, type BoundBy, type SessionBound } from './session-bound.hook.ts';
import { SessionsStore, type EndedSessions, type NewSession, type OpenSession } from './sessions.store.ts';

/** How many ends of sessions are published at once. A transaction is open meanwhile, and the database ends one that idles for too long. */
const PUBLISHED_AT_ONCE = 500;

/** A session to begin, and what signed its user in. */
type Beginning = Omit<NewSession, 'session_id' | 'code_hash' | 'expires_at'> & { proof: SignInProof };

/** A code or refresh token that is exchanged, by its hash. */
interface Exchange extends Pick<CodeRedemption, 'client_id' | 'next_hash' | 'bound'>, Pick<Rotation, 'region'> {
  hash: string;
  by: BoundBy;
}

/** A key that a session is bound to, by the request of a client that may have come to a region. */
interface Binding {
  client_id: string;
  bound: BoundKey;
  region: string | undefined;
  by: BoundBy;
  tx: EntityManager;
}

/** How long the code of a session is valid, and what else is written in the transaction that begins the session. */
interface BegunWith {
  seconds?: number;
  further?(tx: EntityManager, begun: { session_id: string; code: string }): Promise<void>;
}

type Session = Output<typeof tokens.listSessions>['items'][number];

/** The front door's sessions: begun by a sign-in, carried on by refresh tokens, ended on request or when a code or token comes twice. */
@Injectable()
export class LocalSessions implements Sessions, OnApplicationBootstrap {
  private ended!: ProjectionWriter<typeof REVOCATIONS.shape>;

  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly store: SessionsStore,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly modes: Modes,
    private readonly bus: Bus,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(LOG) private readonly log: Log,
    @Inject(REVOCATION_ROWS) private readonly published: ProjectionReader<typeof REVOCATIONS.shape>,
    private readonly audit: Audit,
    @Inject(SESSION_BOUND) private readonly bound: readonly SessionBound[],
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.ended = await ProjectionWriter.open(this.bus, REVOCATIONS);
    // A row that does not fit its shape was written to end something, so publishing it as ended is the safe choice.
    republishMisfits(this.published, this.log, (id) => this.ended.put(id, {}));
    await this.publishEnded();
  }

  /**
   * Publishes again what ended within the lifetime of an access token, because the bus may have come back from an older copy. All sessions
   * that a restore ended are published as one row.
   */
  private async publishEnded(): Promise<void> {
    const since = this.in({ seconds: -ACCESS_TOKEN_SECONDS });
    const acts = await doneSince(this.db, ['token.revoked', 'session.ended', 'restore.reconciled'], since);
    const restored = acts.findLast(({ act }) => act === 'restore.reconciled')?.at;
    const before = restored?.toISOString();
    if (before && before > (this.published.get(ALL_SESSIONS)?.before ?? '')) await this.ended.put(ALL_SESSIONS, { before });

    // The sessions of a deleted account have no rows, so only the audit knows that they ended.
    const ended = acts.flatMap(({ act, object }) => (act !== 'restore.reconciled' && object !== null ? [object] : []));
    const all = new Set([...ended, ...(await this.store.endedSince(restored ?? since, this.clock.now()))]);
    await this.publishEnds([...all].filter((id) => !this.published.get(id)));
  }

  /** Begins a session and returns its code; undefined when the password was changed after it was checked. @gap D1-8 */
  async begin(
    { proof, ...session }: Beginning,
    { seconds = AUTHORIZATION_CODE_SECONDS, further }: BegunWith = {},
  ): Promise<string | undefined> {
    const code = newGrantSecret();
    const expires_at = this.in({ seconds });
    const begun = { ...session, session_id: newId('ses'), code_hash: hashGrantSecret(code), expires_at };
    const isBegun = await this.db.transaction(async (tx) => {
      if (!(await this.store.begin(begun, this.clock.now(), tx))) return false;
      const { client_id, user_id, session_id } = begun;
      await further?.(tx, { session_id, code });
      const about = { client_id, account_id: user_id, object: session_id, details: { kind: proof } };
      await this.audit.record(tx, { act: 'sign_in', initiator: user_id, ...about });
      return true;
    });
    return isBegun ? code : undefined;
  }

  /** Lets a code be exchanged from now on as long as one that was just made. */
  renewCode(code_hash: string, tx: Db): Promise<void> {
    return this.store.renewCode(code_hash, this.in({ seconds: AUTHORIZATION_CODE_SECONDS }), tx);
  }

  checkRedeems(): void {}

  async redeem(redemption: CodeRedemption): Promise<SignedIn> {
    const now = this.clock.now();
    try {
      return await this.exchange({ ...redemption, hash: redemption.code_hash, by: 'sign_in' }, (db) =>
        this.store.takeCode(redemption, now, db),
      );
    } catch (error) {
      await this.store.spendCode(redemption, now);
      throw error;
    }
  }

  /** Rotates a refresh token. A region may rotate only those of its own users; others are sent to the front door. @gap D1-5.6 */
  rotate(rotation: Rotation): Promise<SignedIn> {
    const take = async (db: Db) => this.checkAsker(rotation, await this.store.takeRefresh(rotation, this.clock.now(), db));
    const takenJustNow = async () => this.checkAsker(rotation, await this.store.takenJustNow(rotation, this.clock.now()));
    return this.exchange({ ...rotation, hash: rotation.token_hash, by: 'refresh' }, take, takenJustNow);
  }

  /** Ends a session with all its tokens. The end is published last, so that it ends everywhere or nowhere. @gap D1-4.1 */
  async end(session_id: string, reason: 'revoked' | 'reused'): Promise<void> {
    await this.db.transaction(async (tx) => {
      const ended = await this.store.end(session_id, this.clock.now(), tx);
      if (!ended) return;
      const { user_id: account_id, client_id } = ended;
      await this.audit.record(tx, { act: 'session.ended', account_id, client_id, object: session_id, details: { reason } });
      await this.ended.put(session_id, {});
    });
  }

  /** The open sessions of a user, the newest first: the newest of all, or those of `among`. @gap D1-4.1 */
  async listOf(user_id: string, among?: readonly string[], tx?: EntityManager): Promise<Session[]> {
    return (await this.store.openOf(user_id, this.clock.now(), among, tx)).map(presentSession);
  }

  /** Ends a session of this user, as the user asks. @gap D1-4.1 */
  async endOwn(user_id: string, session_id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (!(await this.endOwnIn(tx, user_id, session_id))) throw new Refusal('account.session_not_found');
      await this.publishEnds([session_id]);
    });
    this.countEnded(1);
  }

  /** Counts sessions that ended in a transaction of the caller, after the transaction. */
  countEnded(sessions: number): void {
    count(METRICS.sessionsEnded, {}, sessions);
  }

  /** Ends a session of this user in the caller's transaction, which calls `publishEnds` last. Returns whether it was open. */
  async endOwnIn(tx: EntityManager, user_id: string, session_id: string): Promise<boolean> {
    if (!(await this.store.endOf(user_id, session_id, this.clock.now(), tx))) return false;
    await this.audit.record(tx, { act: 'session.ended', account_id: user_id, object: session_id });
    return true;
  }

  /** Ends every session of a user. Returns how many were open. @gap D1-4.1 */
  async endAllOf(user_id: string, initiator?: string): Promise<number> {
    const sessions = await this.db.transaction(async (tx) => {
      const ended = await this.endAllIn(tx, user_id);
      const details = { sessions: ended.sessions };
      await this.audit.record(tx, { act: 'sessions.ended', account_id: user_id, object: user_id, initiator, details });
      await this.publishEnds(ended.to_publish);
      return ended.sessions;
    });
    this.countEnded(sessions);
    return sessions;
  }

  /** Ends every session of a user but `keep` in the caller's transaction, which publishes the ends with `publishEnds` as its last act. */
  endAllIn(tx: EntityManager, user_id: string, keep?: string): Promise<EndedSessions> {
    return this.store.endAllOf(user_id, this.clock.now(), tx, keep);
  }

  /** Ends sessions whose rows are deleted too. The audit records each whose end is published, so that it can be published again. */
  async endForGood(tx: EntityManager, user_id: string): Promise<EndedSessions> {
    const ended = await this.endAllIn(tx, user_id);
    const acts = ended.to_publish.map((object) => ({ act: 'session.ended', account_id: user_id, object }) as const);
    await this.audit.recordAll(tx, acts);
    return ended;
  }

  /** Publishes sessions as ended. Nothing takes this back, so it comes after everything that can still fail. */
  async publishEnds(session_ids: readonly string[]): Promise<void> {
    for (let from = 0; from < session_ids.length; from += PUBLISHED_AT_ONCE)
      await Promise.all(session_ids.slice(from, from + PUBLISHED_AT_ONCE).map((session_id) => this.ended.put(session_id, {})));
  }

  /** Ends one access token; its session goes on. */
  async endToken({ jti, sub, sid }: Pick<Claims, 'jti' | 'sub' | 'sid'>): Promise<void> {
    await this.db.transaction(async (tx) => {
      const account_id = accountOf({ sub }) ?? (sid && (await this.store.userOf(sid, tx)));
      await this.audit.record(tx, { act: 'token.revoked', account_id, object: jti });
      await this.ended.put(jti, {});
    });
  }

  /**
   * Uses up the code or refresh token that a client presents and adds a new refresh token. Nothing is used up while the region is out of
   * order. A refresh token that was used a moment ago may be repeated when `takenJustNow` knows it. A code or token that was used earlier
   * is in two hands, and nobody knows whose are the right ones: its session ends. @spec D1-5.4 @spec D1-7 @gap D1-8
   */
  private async exchange(
    { client_id, hash, next_hash, bound, region, by }: Exchange,
    take: (db: Db) => Promise<SignedIn | undefined>,
    takenJustNow: () => Promise<SignedIn | undefined> = async () => undefined,
  ): Promise<SignedIn> {
    const taken = await this.db.transaction(async (tx) => {
      const signedIn = await take(tx);
      if (!signedIn) return undefined;
      this.modes.checkInOrder(signedIn.region);
      if (bound) await this.bind(signedIn, { client_id, bound, region, by, tx });
      if (next_hash === undefined) return signedIn;
      await this.store.addRefresh(
        { session_id: signedIn.session_id, next_hash, expires_at: this.in({ seconds: REFRESH_TOKEN_DAYS * 24 * 3600 }) },
        this.clock.now(),
        tx,
      );
      return signedIn;
    });
    const signedIn = taken ?? (await this.takenAgain(takenJustNow));
    if (signedIn) return signedIn;
    const session_id = await this.store.reused(client_id, hash);
    if (session_id !== undefined) await this.end(session_id, 'reused');
    throw new Refusal('oauth.invalid_grant');
  }

  /**
   * Binds a session to the key of a device, if it is not bound yet. A region never does that: an attacker who has a region sees the refresh
   * tokens that come there, and could bind the session of a user to another key.
   */
  private async bind({ session_id, user_id, jkt }: SignedIn, { client_id, bound, region, by, tx }: Binding): Promise<void> {
    const session = { user_id, client_id, ...bound };
    if (jkt) return this.eachBound((devices) => devices.sessionUsed(tx, session));
    if (region !== undefined) throw new Refusal('region.rebase_required', { api_url: this.bases.front_door_url });
    await this.store.bind(session_id, bound.jkt, tx);
    await this.eachBound((devices) => devices.sessionBound(tx, session, by));
  }

  private async eachBound(hears: (devices: SessionBound) => Promise<void>): Promise<void> {
    for (const devices of this.bound) await hears(devices);
  }

  private async takenAgain(takenJustNow: () => Promise<SignedIn | undefined>): Promise<SignedIn | undefined> {
    const signedIn = await takenJustNow();
    if (!signedIn) return undefined;
    this.modes.checkInOrder(signedIn.region);
    count(METRICS.refreshesRepeated);
    return signedIn;
  }

  private checkAsker({ region }: Rotation, signedIn: SignedIn | undefined): SignedIn | undefined {
    if (signedIn && region !== undefined && region !== signedIn.region)
      throw new Refusal('region.rebase_required', { api_url: this.bases.front_door_url });
    return signedIn;
  }

  private in({ seconds }: { seconds: number }): Date {
    return new Date(this.clock.now().getTime() + seconds * 1000);
  }
}

const presentSession = ({ session_id, client_id, client_name, created_at, last_used_at }: OpenSession): Session => ({
  id: session_id,
  client_id,
  client_name,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at.toISOString(),
  ends_at: new Date(created_at.getTime() + SESSION_DAYS * 24 * 3600_000).toISOString(),
});

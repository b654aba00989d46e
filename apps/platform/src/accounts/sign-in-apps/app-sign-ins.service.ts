import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { REGION, Refusal, SIGN_IN_MINUTES, type FRONT_DOOR } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import {
  hashGrantSecret,
  LocalSessions,
  PAIRWISE,
  signOther,
  type AppAnswer,
  type AppSignIns as AppSignInsHook,
  type ExchangedCode,
  type SignInProof,
} from '../../access/tokens/index.ts';
import { AppSignInsStore, type AppRequest, type WaitingRow } from './app-sign-ins.store.ts';
import { METRICS } from './metrics.ts';
import { ID_TOKEN_KEYS, IdTokenKeys } from './id-token-keys.service.ts';
import { newValuesKey, openValues } from './values-seal.ts';
import type { AppSignInEntity } from './app-sign-in.entity.ts';

/** A person who has given the password to sign in with an app. */
interface Begun {
  client_id: string;
  epoch: number;
  user_id: string;
  /** The home region of the person, where the phones listen. */
  region: string;
  proof: SignInProof;
  password_hash: string | null;
  redirect_uri: string;
  code_challenge: string;
  state: string | undefined;
  nonce: string | undefined;
  app: AppRequest;
}

/** Where the browser of a sign-in goes: on with the code, back with a refusal, or nowhere yet. */
export type Led = Pick<AppSignInEntity, 'status' | 'digits' | 'redirect_uri' | 'state'> & { app_name: string };

const MINUTE_MS = 60_000;
/** How long an `id_token` proves a sign-in: the app reads it at once. @gap D1-4.6 */
const ID_TOKEN_SECONDS = 300;

/**
 * Signs people in with apps of companies, at the front door. An app with claims waits for the phone, which alone has the values. The code
 * exists from the beginning, in the browser alone: it opens the values, and can be exchanged once the person has approved.
 * @spec D1-4.6 @gap D1-4.6
 */
@Injectable()
export class AppSignIns implements AppSignInsHook {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly store: AppSignInsStore,
    private readonly sessions: LocalSessions,
    private readonly audit: Audit,
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    @Inject(ID_TOKEN_KEYS) private readonly keys: IdTokenKeys,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  /** Returns what an app asks for. An app is never without it. */
  async requestOf(client_id: string): Promise<AppRequest> {
    const app = await this.store.requestOf(client_id);
    if (!app) throw new Refusal('oauth.invalid_client');
    return app;
  }

  /** Begins a sign-in, and returns its id and its code; undefined when the password was changed after it was checked. */
  async begin({ app, region, state, nonce, ...session }: Begun): Promise<{ sign_in: string; code: string; waits: boolean } | undefined> {
    const { claims, claims_delivery, company_user_id } = app;
    const { user_id } = session;
    const waits = claims.length > 0;
    const now = this.clock.now();
    let sign_in = '';
    let pushedOut = 0;
    const code = await this.sessions.begin(session, {
      ...(waits && { seconds: SIGN_IN_MINUTES * 60 }),
      further: async (tx, { session_id, code: made }) => {
        sign_in = session_id;
        pushedOut = await this.store.add(
          {
            session_id,
            code_hash: hashGrantSecret(made),
            redirect_uri: session.redirect_uri,
            state: state ?? null,
            nonce: nonce ?? null,
            claims,
            claims_delivery,
            digits: String(randomInt(100)).padStart(2, '0'),
            status: waits ? 'waiting' : 'done',
            ...newValuesKey(session_id, made),
            sealed_values: null,
            created_at: now,
            expires_at: new Date(now.getTime() + SIGN_IN_MINUTES * MINUTE_MS),
          },
          user_id,
          tx,
        );
      },
    });
    if (code === undefined) return undefined;
    count(METRICS.signInsBegun);
    if (pushedOut > 0) count(METRICS.outcomes, { 'codase.outcome': 'pushed_out' }, pushedOut);
    if (waits) await this.announce(region, { user_id, company_user_id, sign_in_id: sign_in });
    return { sign_in, code, waits };
  }

  /** Has the region inform the phones. When it cannot, the sign-in waits all the same: a phone finds it in its list. */
  private async announce(region: string, signIn: MessageOf<typeof REGION.announceSignIn>): Promise<void> {
    await this.bus
      .request(REGION.announceSignIn, { region }, signIn)
      .catch((error: unknown) => this.log.warn('phones are not informed of a sign-in', { error }));
  }

  async listWaiting(user_id: string) {
    return { items: (await this.store.listWaiting(user_id, this.clock.now())).map(presentWaiting) };
  }

  /** Answers a sign-in for the person, once. */
  async answer({ user_id, sign_in_id, sealed_values }: MessageOf<typeof FRONT_DOOR.answerSignIn>): Promise<void> {
    await this.db.transaction(async (tx) => {
      const answered = await this.store.answer({ user_id, session_id: sign_in_id, sealed_values }, this.clock.now(), tx);
      if (!answered) throw new Refusal('sign_ins.not_found');
      const details = { kind: sealed_values === null ? 'denied' : 'approved' };
      await this.audit.record(tx, { act: 'sign_in.answered', account_id: user_id, object: sign_in_id, details });
    });
    count(METRICS.outcomes, { 'codase.outcome': sealed_values === null ? 'denied' : 'approved' });
  }

  /** Returns how a sign-in stands, to the browser that has its code. */
  async read(code: string | undefined): Promise<Led & { code: string }> {
    const found = code === undefined ? undefined : await this.store.find(hashGrantSecret(code), this.clock.now());
    if (code === undefined || !found) throw tooLate();
    return { ...found, code };
  }

  /**
   * Leads a sign-in on that the person has approved: its code can be exchanged from now on, for as long as any other code. It may be
   * repeated until then, because the answer may have been lost, and does not renew the code again.
   */
  async lead(given: string | undefined): Promise<Led & { code: string }> {
    const led = await this.read(given);
    if (led.status !== 'approved') return led;
    const code_hash = hashGrantSecret(led.code);
    await this.db.transaction(async (tx) => {
      const expires_at = new Date(this.clock.now().getTime() + 2 * MINUTE_MS);
      if (await this.store.release(code_hash, expires_at, tx)) await this.sessions.renewCode(code_hash, tx);
    });
    return led;
  }

  /** Gives the app that has exchanged a code what it gets, and keeps nothing of the values. */
  async take({ client_id, company_user_id, session_id, user_id, code }: ExchangedCode): Promise<AppAnswer> {
    const { row, ...answer } = await this.db.transaction(async (tx) => {
      const row = await this.store.take(session_id, tx);
      if (!row) throw new Refusal('oauth.invalid_grant');
      const claim_values = valuesOf(row, code);
      const subject = await this.store.subjectOf(company_user_id, user_id, newId(PAIRWISE), tx);
      return { row, subject, claim_values };
    });
    count(METRICS.outcomes, { 'codase.outcome': 'exchanged' });
    return { ...answer, id_token: await this.idToken(row, { sub: answer.subject, aud: client_id }) };
  }

  private idToken({ created_at, nonce }: AppSignInEntity, who: { sub: string; aud: string }): Promise<string> {
    const iat = secondsOf(this.clock.now());
    const moments = { iat, exp: iat + ID_TOKEN_SECONDS, auth_time: secondsOf(created_at) };
    return signOther(this.keys.current, 'JWT', { iss: this.bases.front_door_url, ...who, ...moments, ...(nonce !== null && { nonce }) });
  }
}

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

function valuesOf({ sealed_values, ...row }: AppSignInEntity, code: string): Record<string, string> | undefined {
  if (sealed_values === null) return undefined;
  const values = openValues({ ...row, sealed_values }, code);
  if (!values) throw new Refusal('oauth.invalid_grant');
  return values;
}

const presentWaiting = ({ session_id, claims_delivery, public_key, created_at, expires_at, ...shown }: WaitingRow) => ({
  ...shown,
  id: session_id,
  claims_delivery,
  public_key: claims_delivery === 'encrypted' ? public_key : null,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
});

const tooLate = () =>
  new Refusal('oauth.invalid_request').because('This sign-in is too old or was answered before: begin again where you came from');

import { Inject, Injectable } from '@nestjs/common';
import { MAX_TRUSTED_DEVICES, Refusal, TRUSTED_BROWSER_DAYS, type Output, type accountSecurity } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { AccountsStore, type AccountRow } from '../identity/index.ts';
import { newId } from '../../kit/ids.ts';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { hashGrantSecret, newGrantSecret } from '../tokens/index.ts';
import { browserName } from './browser-name.ts';
import { METRICS } from './metrics.ts';
import { readTrust, trustCookie } from './trust-cookie.ts';
import { TrustedBrowsersStore } from './trusted-browsers.store.ts';

type Device = Output<typeof accountSecurity.listTrustedDevices>['items'][number];

const DAY_SECONDS = 86_400;

/** The headers of a browser's request. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Browsers that their users chose to trust when they entered a code: for a while they are asked for the password alone. Such a browser has
 * a cookie with 256 random bits, of which the database has the hash. @gap D1-5.8
 */
@Injectable()
export class TrustedBrowsers {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly accounts: AccountsStore,
    private readonly store: TrustedBrowsersStore,
    private readonly audit: Audit,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether a request comes from a browser that is trusted for this account. */
  async isTrusted(user_id: string, headers: Headers): Promise<boolean> {
    const token = readTrust(headers['cookie'], user_id);
    if (token === undefined || !(await this.store.see(user_id, hashGrantSecret(token), this.clock.now()))) return false;
    count(METRICS.codesSpared);
    return true;
  }

  /** Trusts the browser of a request. Returns the cookie to set; undefined when the password or the second factor changed meanwhile. */
  async trust({ user_id, password_hash }: AccountRow, headers: Headers): Promise<string | undefined> {
    const token = newGrantSecret();
    const created_at = this.clock.now();
    const browser = {
      device_id: newId('dev'),
      user_id,
      token_hash: hashGrantSecret(token),
      name: browserName(headers['user-agent']),
      created_at,
      expires_at: new Date(created_at.getTime() + TRUSTED_BROWSER_DAYS * DAY_SECONDS * 1000),
    };
    const isAdded = await this.db.transaction(async (tx) => {
      // A change of the password waits for this lock, or was made before: then the trust that it ends must not begin.
      if ((await this.accounts.lock(user_id, tx))?.password_hash !== password_hash) return false;
      if (!(await this.store.add(tx, browser, MAX_TRUSTED_DEVICES))) return false;
      const act = { act: 'trusted_device.added', account_id: user_id, initiator: user_id, object: browser.device_id } as const;
      await this.audit.record(tx, act);
      return true;
    });
    if (!isAdded) return undefined;
    count(METRICS.browsersTrusted);
    const isSecure = this.bases.front_door_url.startsWith('https:');
    return trustCookie(user_id, token, { seconds: TRUSTED_BROWSER_DAYS * DAY_SECONDS, isSecure });
  }

  async listOf(user_id: string): Promise<Device[]> {
    const rows = await this.store.listOf(user_id, this.clock.now());
    return rows.map(({ device_id, name, created_at, last_seen_at }) => ({
      id: device_id,
      name,
      created_at: created_at.toISOString(),
      last_seen_at: last_seen_at.toISOString(),
    }));
  }

  async forget(user_id: string, device_id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (!(await this.store.forget(tx, user_id, device_id))) throw new Refusal('account.device_not_found');
      await this.audit.record(tx, { act: 'trusted_device.removed', account_id: user_id, object: device_id });
    });
  }
}

import { execute, one, openDatabase, sql } from '@codase/runtime/db';
import { ManualClock } from '@codase/runtime/clock';
import { silentLog } from '@codase/runtime/telemetry';
import { requiredVariable, TestDatabases } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { ChallengeRetention } from '../../src/sharing/challenges/challenge-retention.worker.ts';
import { MessageRetention } from '../../src/sharing/messages/message-retention.worker.ts';
import { ServiceLogRetention } from '../../src/services/services/service-log-retention.worker.ts';
import { RateBucketRetention } from '../../src/access/tokens/limits/rate-bucket-retention.worker.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('the retention of platform rows', () => {
  let databases: TestDatabases;
  let db: DataSource;
  const clock = new ManualClock('2026-11-15T12:00:00Z');
  const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
  const left = async (table: 'service_log' | 'rate_bucket' | 'challenge' | 'message') =>
    (await one<{ count: number }>(db, { text: `select count(*)::integer as count from ${table}`, values: [] }))!.count;
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'), ['region-eu']);
    const owner = await openDatabase({ url: databases.urls.region_eu.owner, name: 'test' });
    await owner.query('alter table service_log drop constraint service_log_service_id_fkey'); // this test needs no services
    await owner.query('alter table challenge drop constraint challenge_service_id_fkey');
    await owner.query('alter table message drop constraint message_service_id_fkey, drop constraint message_connection_id_fkey');
    await owner.destroy();
    db = await openDatabase({ url: databases.urls.region_eu.app, name: 'test' });
  });
  afterAll(async () => {
    await db?.destroy();
    await databases?.drop();
  });

  const logs = async (owner: string, at: Date, entries = 1) =>
    execute(
      db,
      sql`
      insert into service_log (at, log_id, company_user_id, service_id, kind, message)
      select ${at}, ${owner} || ${at.toISOString()} || n, ${owner}, 'svc', 'webhook_bad', 'm' from generate_series(1, ${entries}) as n`,
    );
  const livesHere = (user_id: string, home: string) =>
    execute(
      db,
      sql`
      insert into profile (user_id, type, display_name, language, share_code, public_key, home, created_at)
      values (${user_id}, 'company', 'Acme', 'en', ${user_id}, '', ${home}, ${ago(0)})`,
    );

  it('deletes service log entries after 365 days, except those of a moving company', async () => {
    await livesHere('acme', 'here');
    await livesHere('gone', 'leaving');
    await logs('acme', ago(366), 2500);
    await logs('acme', ago(364));
    await logs('gone', ago(400));
    const paused = { isPaused: () => true };
    const retention = (mode = { isPaused: () => false }) => new ServiceLogRetention(db, 365, mode, clock, silentLog);

    expect(await retention(paused).sweep()).toBe(0);
    expect(await retention().sweep()).toBe(2500);

    expect(await left('service_log')).toBe(2);
  });

  it('deletes a challenge a day after its end, delivered or not, except that of a moving company', async () => {
    const limits = {
      lifetime_seconds: 300,
      outcome_hours: 24,
      pending: { per_service: 3, per_person: 10 },
      rate: { per_minute: 5, per_hour: 30 },
    };
    const ended = (owner: string, days: number, consumed: boolean) =>
      execute(
        db,
        sql`
        insert into challenge (challenge_id, company_user_id, service_id, client_id, connection_id, person_user_id, share_code, body_hash,
                               status, created_at, expires_at, completed_at, consumed_at)
        values (${`${owner} ${days}`}, ${owner}, 'svc', 'c', 'conn', 'ana', 'ANA', 'h', 'denied', ${ago(days)}, ${ago(days)}, ${ago(days)},
                ${consumed ? ago(days) : null})`,
      );
    await ended('acme', 1, true);
    await ended('acme', 2, false);
    await ended('acme', 0.99, true);
    await ended('gone', 3, true);
    const retention = new ChallengeRetention(db, limits, { isPaused: () => false }, clock, silentLog);

    expect(await retention.sweep()).toBe(2);
    expect(await left('challenge')).toBe(2);
  });

  it('deletes a message after a year, except that of a moving company', async () => {
    const written = (owner: string, days: number) =>
      execute(
        db,
        sql`
        insert into message (message_id, company_user_id, service_id, connection_id, customer_user_id, sender, body, repeat_hash,
                             created_at)
        values (${`${owner} ${days}`}, ${owner}, 'svc', 'conn', 'ana', 'person', 'sealed', ${Buffer.from(`${owner} ${days}`)},
                ${ago(days)})`,
      );
    await written('acme', 366);
    await written('acme', 364);
    await written('gone', 400);

    expect(await new MessageRetention(db, { isPaused: () => false }, clock, silentLog).sweep()).toBe(1);
    expect(await left('message')).toBe(2);
  });

  it('deletes the rate bucket of a client that has not called for a day', async () => {
    await execute(db, sql`insert into rate_bucket values ('data old', 1, ${ago(1.1)}), ('data new', 1, ${ago(0.9)})`);

    expect(await new RateBucketRetention(db, clock, silentLog).sweep()).toBe(1);
    expect(await left('rate_bucket')).toBe(1);
  });
});

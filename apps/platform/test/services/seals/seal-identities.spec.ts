import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fingerprint, loadIdentity, seal, verify, type StoredIdentity } from '@codase/pdf';
import { execute, many, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { requiredVariable, TestDatabases } from '@codase/testing';
import { sealKeyPair } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import { keyList } from '../../../src/kit/secrets/key-list.ts';
import type { FrontDoorRequests } from '../../../src/foundation/regions/index.ts';
import { PeriodicRegistration } from '../../../src/services/seals/periodic-registration.worker.ts';
import { SealIdentities } from '../../../src/services/seals/seal-identities.service.ts';
import { StoredSecrets } from '../../../src/kit/secrets/stored-secrets.ts';
import { REGION_ENTITIES } from '../../../src/capabilities.ts';

const FIXTURES = 'libs/pdf/test/fixtures';
const PDF = readFileSync(`${FIXTURES}/producers/reportlab.pdf`);
const STORED = JSON.parse(readFileSync(`${FIXTURES}/other-identity.json`, 'utf8')) as StoredIdentity;
const MADE = loadIdentity(STORED);
const PKCS12 = { file: readFileSync(`${FIXTURES}/p12/modern-rsa.p12`), password: 'secret' };
const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-16T12:00:00Z');

describe('the seal certificate of a region @spec D1-2.12.5', () => {
  let databases: TestDatabases;
  let db: DataSource;
  const certificate_id = fingerprint(MADE.certificate);
  const end = Date.parse(MADE.certificate.validTo);
  const [old, young] = [randomBytes(32), randomBytes(32)];
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'), ['region-eu']);
    db = await openDatabase({ url: databases.urls.region_eu.app, name: 'test', entities: REGION_ENTITIES });
    const sealed_key = new StoredSecrets(keyList(old)).seal({ private_key_pem: STORED.private_key_pem }, certificate_id);
    await execute(
      db,
      sql`
      insert into seal_certificate (certificate_id, certificate_pem, chain_pem, sealed_key, created_at)
      values (${certificate_id}, ${STORED.certificate_pem}, '[]', ${sealed_key}, ${NOW})`,
    );
  });
  afterAll(async () => {
    await db?.destroy();
    await databases?.drop();
  });

  let isFrontDoorAway: boolean;
  let registered: string[];
  /** The certificates that were already in use when they were registered. */
  let usedBefore: string[];
  beforeEach(() => {
    [isFrontDoorAway, registered, usedBefore] = [false, [], []];
  });
  const rows = () => many<{ certificate_id: string }>(db, sql`select certificate_id from seal_certificate`);
  type Sent = { certificates: readonly string[] };
  const frontDoor = {
    async request(_subject: unknown, _values: object, { certificates }: Sent) {
      if (isFrontDoorAway) throw new Error('away');
      const added = certificates.map((pem) => fingerprint(new X509Certificate(pem)));
      const used = (await rows()).map((row) => row.certificate_id);
      usedBefore.push(...added.filter((id) => used.includes(id)));
      registered.push(...added);
    },
  } as unknown as FrontDoorRequests;
  /** The seal identities as a replica of the region has them. */
  const identities = (keys: readonly Buffer[], given: { pkcs12?: typeof PKCS12; now?: () => Date } = {}) =>
    new SealIdentities(
      db,
      new StoredSecrets(keyList(...keys)),
      { name: 'platform.example', pkcs12: given.pkcs12, timestampAuthority: undefined, check: 'never' },
      { now: given.now ?? (() => NOW) },
      frontDoor,
      silentLog,
      sealKeyPair,
    );
  const currentOf = async (known: SealIdentities) => fingerprint((await known.current()).certificate);

  it("has its private key sealed under the region's keys, which can be replaced", async () => {
    expect(await currentOf(identities([old]))).toBe(certificate_id);
    await expect(identities([young]).current()).rejects.toThrow('do not open');
    expect(await identities([young]).reseal()).toBe('unreadable');
    expect([await identities([young, old]).reseal(), await identities([young]).reseal()]).toEqual(['resealed', 'current']);
    expect(await currentOf(identities([young]))).toBe(certificate_id);
    expect(registered).toEqual([]);
  });

  it("can be the operator's own, which is registered with the front door once", async () => {
    const replica = identities([young], { pkcs12: PKCS12 });
    isFrontDoorAway = true;
    await expect(replica.current()).rejects.toThrow('away');
    isFrontDoorAway = false;

    const operators = await currentOf(replica);

    expect([registered, usedBefore]).toEqual([[operators], []]);
    isFrontDoorAway = true;
    expect(await currentOf(identities([young], { pkcs12: PKCS12 }))).toBe(operators);
    const kept = await many(db, sql`select certificate_id, sealed_key is null as is_operators from seal_certificate order by 2`);
    expect(kept).toEqual([
      { certificate_id, is_operators: false },
      { certificate_id: operators, is_operators: true },
    ]);
  });

  it('is renewed in its last year by one replica for all, and earlier seals stay valid', async () => {
    const lease = await seal(PDF, { ...MADE, reason: '', signer: '', time: NOW });
    let now = new Date(end - 366 * DAY_MS);
    isFrontDoorAway = true;
    const replicas = [1, 2].map(() => identities([young], { now: () => now }));
    const current = () => Promise.all(replicas.map(currentOf));
    expect(await current()).toEqual([certificate_id, certificate_id]);
    now = new Date(end - 364 * DAY_MS);
    expect(await current()).toEqual([certificate_id, certificate_id]);
    isFrontDoorAway = false;
    expect(await current()).toEqual([certificate_id, certificate_id]); // a renewal is not tried at each seal
    now = new Date(now.getTime() + 600_000);

    const [renewed, again] = await current();

    expect(renewed).not.toBe(certificate_id);
    expect([again, await current()]).toEqual([renewed, [renewed, renewed]]);
    expect(registered).toContain(renewed);
    expect(usedBefore).toEqual([]);
    const withKeys = await many(db, sql`select certificate_id from seal_certificate where sealed_key is not null`);
    expect(withKeys).toEqual([{ certificate_id: renewed }]);
    const known = await many<{ certificate_pem: string }>(db, sql`select certificate_pem from seal_certificate`);
    const certificates = known.map(({ certificate_pem }) => new X509Certificate(certificate_pem));
    expect(verify(lease, { certificates }).verdict).toBe('sealed');
    now = new Date(end + 12 * 365 * DAY_MS);
    isFrontDoorAway = true;
    await expect(replicas[0]!.current()).rejects.toThrow('away');
  });

  it('is registered every hour with all earlier ones, and every round while registration fails', async () => {
    const named: number[] = [];
    const takes = { request: async (_subject: unknown, _values: object, sent: Sent) => void named.push(sent.certificates.length) };
    const refuses = { request: () => Promise.reject(new Error('away')) };
    const all = (await rows()).length;
    const worker = new PeriodicRegistration(takes as unknown as FrontDoorRequests, db, silentLog);
    const failing = new PeriodicRegistration(refuses as unknown as FrontDoorRequests, db, silentLog);

    for (let round = 0; round <= 60; round++) await worker.round();

    expect(named).toEqual([all, all]);
    for (let round = 0; round < 2; round++) await expect(failing.round()).rejects.toThrow('away');
  });
});

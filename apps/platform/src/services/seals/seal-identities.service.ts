import { Inject, Injectable, Optional } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { createIdentity, fingerprint, loadIdentity, storeIdentity, type KeyPair, type SealIdentity } from '@codase/pdf';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, read, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import type { StoredSecretsReseal } from '../webhooks/index.ts';
import { addCertificate, findOwnCertificate, hasCertificate, resealKey, retireKey, type OwnCertificateRow } from './certificates.store.ts';
import { METRICS } from './metrics.ts';
import { SEAL_SETTINGS, type SealSettings } from './seal-settings.service.ts';
import type { SealCertificateEntity } from './seal-certificate.entity.ts';

/** The token by which a test provides the key pairs of new certificates: making one takes more than a second of CPU. */
export const SEAL_KEY_PAIRS = Symbol('key pairs of new certificates of seals');

const DAY_MS = 86_400_000;
/** How long before its end a region replaces a certificate that it made. */
const RENEW_BEFORE_MS = 365 * DAY_MS;
/** How long the region waits after a renewal that failed: it goes on sealing meanwhile. */
const RENEW_AGAIN_MS = 600_000;

/** The certificate that this region seals with: the operator's own, or one that the region makes at its first start and renews in time. */
@Injectable()
export class SealIdentities implements StoredSecretsReseal {
  private known: Promise<SealIdentity> | undefined;
  /** A new certificate that the front door does not know yet. It is kept for the next try, because making one takes a second. */
  private fresh: SealIdentity | undefined;
  private renewsAfter = 0;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(STORED_SECRETS) private readonly stored: StoredSecrets,
    @Inject(SEAL_SETTINGS) private readonly settings: SealSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FrontDoorRequests) private readonly frontDoor: Pick<FrontDoorRequests, 'request'>,
    @Inject(LOG) private readonly log: Log,
    @Optional() @Inject(SEAL_KEY_PAIRS) private readonly newKeyPair?: () => KeyPair,
  ) {}

  /** Returns the certificate and key to seal with. They are loaded once, and again after a failure or when it is time to renew them. */
  async current(): Promise<SealIdentity> {
    const known = (this.known ??= this.load());
    const identity = await known;
    read(METRICS.certificateLeft, (endOf(identity) - this.clock.now().getTime()) / 1000);
    if (this.settings.pkcs12 || !this.isDue(identity)) return identity;
    if (this.known === known) this.known = this.load();
    return this.known;
  }

  async reseal(): Promise<'resealed' | 'current' | 'unreadable'> {
    const row = await findOwnCertificate(this.db);
    if (!row || this.stored.isCurrent(row.sealed_key)) return 'current';
    const key = this.stored.tryOpen(row.sealed_key, row.certificate_id);
    if (!key) return 'unreadable';
    await resealKey(this.db, row, this.stored.seal(key, row.certificate_id));
    return 'resealed';
  }

  private load(): Promise<SealIdentity> {
    return (this.settings.pkcs12 ? this.operatorsOwn(this.settings.pkcs12) : this.own()).catch((error: unknown) => {
      this.known = undefined;
      throw error;
    });
  }

  private async operatorsOwn({ file, password }: NonNullable<SealSettings['pkcs12']>): Promise<SealIdentity> {
    const { readPkcs12 } = await import('@codase/pdf/pkcs12'); // loaded on demand: few operators have one, and the library is big
    const identity = readPkcs12(file, password);
    const row = this.rowOf(identity, null);
    if (await hasCertificate(this.db, row)) return identity;
    await this.register(identity);
    await addCertificate(this.db, row);
    return identity;
  }

  private async own(): Promise<SealIdentity> {
    const row = await findOwnCertificate(this.db);
    if (!row) return this.make(undefined);
    const known = this.identityOf(row);
    return this.isDue(known) ? this.renew(row, known) : known;
  }

  /** Renews the certificate. When that fails, for example without the front door, the old one is used while it is still valid. */
  private async renew(row: OwnCertificateRow, known: SealIdentity): Promise<SealIdentity> {
    try {
      return await this.make(row);
    } catch (error) {
      if (endOf(known) <= this.clock.now().getTime()) throw error;
      this.log.error('the certificate of seals could not be renewed', { error });
      this.renewsAfter = this.clock.now().getTime() + RENEW_AGAIN_MS;
      return known;
    }
  }

  /** Makes a certificate and deletes the key of the one before. Of several that replicas make at once the first stays, and all use it. */
  private async make(before: SealCertificateEntity | undefined): Promise<SealIdentity> {
    const fresh = (this.fresh ??= await createIdentity({ name: this.settings.name, now: this.clock.now(), keyPair: this.newKeyPair?.() }));
    const { private_key_pem } = storeIdentity(fresh);
    const row = this.rowOf(fresh, this.stored.seal({ private_key_pem }, fingerprint(fresh.certificate)));
    await this.register(fresh);
    await this.db.transaction(async (tx) => {
      if (!before || (await retireKey(tx, before))) await addCertificate(tx, row);
    });
    this.fresh = undefined;
    return this.identityOf((await findOwnCertificate(this.db))!);
  }

  /** Registers a certificate before it is used: the front door would say of a PDF with an unknown one that somebody else sealed it. */
  private async register({ certificate }: SealIdentity): Promise<void> {
    await this.frontDoor.request(FRONT_DOOR.registerCertificates, {}, { certificates: [certificate.toString()] });
  }

  private identityOf(row: OwnCertificateRow): SealIdentity {
    const { private_key_pem } = this.stored.open(row.sealed_key, row.certificate_id);
    return loadIdentity({ ...row, private_key_pem: private_key_pem! });
  }

  private rowOf(identity: SealIdentity, sealed_key: string | null): SealCertificateEntity {
    const { certificate_pem, chain_pem } = storeIdentity(identity);
    const certificate_id = fingerprint(identity.certificate);
    return { certificate_id, certificate_pem, chain_pem, sealed_key, created_at: this.clock.now() };
  }

  private isDue(identity: SealIdentity): boolean {
    const now = this.clock.now().getTime();
    return endOf(identity) - now < RENEW_BEFORE_MS && now >= this.renewsAfter;
  }
}

const endOf = ({ certificate }: SealIdentity): number => Date.parse(certificate.validTo);

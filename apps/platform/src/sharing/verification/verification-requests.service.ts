import { Inject, Injectable } from '@nestjs/common';
import { Refusal, VERIFICATION_REQUEST_HOURS, VERIFICATION_REQUESTS, type VerificationRequest } from '@codase/contracts';
import { randomToken } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import type { z } from 'zod';
import { Audit } from '../../foundation/audit/index.ts';
import { apiUrlOf, BASES, HERE, Home, type Bases, type Here } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { ContactFields, type ContactField } from '../../services/registry/index.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import { findVerification } from '../connections/index.ts';
import { RequestsStore } from './requests.store.ts';
import type { VerificationRequestEntity } from './verification-request.entity.ts';

const HOUR_MS = 3_600_000;
const SALT_BYTES = 16;

/** What users ask providers to verify. Nobody can attest a value without its user's request. @gap D1-2.7 */
@Injectable()
export class VerificationRequests {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly home: Home,
    private readonly fields: ContactFields,
    private readonly attestations: Attestations,
    private readonly store: RequestsStore,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
  ) {}

  /** Makes a request for the value that the user has now. */
  async make(user_id: string, slug: string, provider_id: string): Promise<z.infer<typeof VerificationRequest>> {
    const field = await this.fieldOf(user_id, slug);
    const provider = this.attestations.provider(provider_id);
    if (!provider) throw new Refusal('verification.provider_not_found');
    if (!this.attestations.mayVerify(provider, field.type)) throw new Refusal('verification.type_not_offered');
    const request = await this.home.write(user_id, async (tx) => {
      const value = await findVerification(tx, user_id, slug);
      if (!value) throw new Refusal('contact_fields.not_found').because('There is no value of this field to verify: set it first');
      const now = this.clock.now();
      if ((await this.store.count(tx, user_id, now)) >= VERIFICATION_REQUESTS) throw new Refusal('verification.too_many_requests');
      const made: VerificationRequestEntity = {
        verification_id: newId('ver'),
        user_id,
        field: slug,
        field_type: field.type,
        field_salt: randomToken(SALT_BYTES),
        provider_id,
        value_as_of: value.updated_at,
        created_at: now,
        expires_at: new Date(now.getTime() + VERIFICATION_REQUEST_HOURS * HOUR_MS),
      };
      await this.store.add(tx, made);
      await this.audit.record(tx, { act: 'verification.requested', account_id: user_id, object: made.verification_id });
      return made;
    });
    return this.present(request);
  }

  async list(user_id: string, slug: string): Promise<z.infer<typeof VerificationRequest>[]> {
    await this.fieldOf(user_id, slug);
    return (await this.store.list(user_id, slug, this.clock.now())).map((request) => this.present(request));
  }

  async withdraw(user_id: string, field: string, verification_id: string): Promise<void> {
    await this.fieldOf(user_id, field);
    await this.home.write(user_id, async (tx) => {
      if (!(await this.store.take(tx, { verification_id, user_id, field }))) throw new Refusal('verification.request_not_found');
      await this.audit.record(tx, { act: 'verification.withdrawn', account_id: user_id, object: verification_id });
    });
  }

  private async fieldOf(user_id: string, slug: string): Promise<ContactField> {
    const field = (await this.fields.of(user_id, this.db)).find((one) => one.slug === slug);
    if (!field) throw new Refusal('contact_fields.not_found');
    return field;
  }

  private present({ verification_id, provider_id, field, created_at, expires_at }: VerificationRequestEntity) {
    const api_url = this.here.base === 'region' ? apiUrlOf(this.bases, this.here.region)! : '';
    return { verification_id, provider_id, field, api_url, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
  }
}

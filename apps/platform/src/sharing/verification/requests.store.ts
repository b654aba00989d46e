import { Inject, Injectable } from '@nestjs/common';
import { execute, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { MoreThan } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { VerificationRequestEntity } from './verification-request.entity.ts';

/** The open requests of users. */
@Injectable()
export class RequestsStore {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  async add(tx: EntityManager, request: VerificationRequestEntity): Promise<void> {
    await tx.getRepository(VerificationRequestEntity).insert(request);
  }

  /** Returns how many requests of a user are open. */
  count(tx: EntityManager, user_id: string, now: Date): Promise<number> {
    return tx.getRepository(VerificationRequestEntity).countBy({ user_id, expires_at: MoreThan(now) });
  }

  list(user_id: string, field: string, now: Date): Promise<VerificationRequestEntity[]> {
    const open = { user_id, field, expires_at: MoreThan(now) };
    return this.db.getRepository(VerificationRequestEntity).find({ where: open, order: { created_at: 'DESC', verification_id: 'ASC' } });
  }

  /** Finds an open request for a provider. */
  async find(verification_id: string, provider_id: string, now: Date): Promise<VerificationRequestEntity | undefined> {
    const open = { verification_id, provider_id, expires_at: MoreThan(now) };
    return (await this.db.getRepository(VerificationRequestEntity).findOneBy(open)) ?? undefined;
  }

  /** Takes a request. Returns false when it was taken or withdrawn before. */
  async take(tx: EntityManager, request: Pick<VerificationRequestEntity, 'verification_id' | 'user_id' | 'field'>): Promise<boolean> {
    const { verification_id, user_id, field } = request;
    return (await tx.getRepository(VerificationRequestEntity).delete({ verification_id, user_id, field })).affected === 1;
  }

  /** Deletes requests whose time is over. */
  async deleteExpired(now: Date): Promise<void> {
    await execute(this.db)`delete from verification_request where expires_at <= ${now}`;
  }
}

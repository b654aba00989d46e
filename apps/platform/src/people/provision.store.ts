import { many, sql, type Db } from '@cds/runtime/db';

export interface Profile {
  user_id: string;
  type: 'person' | 'company';
  email: string;
  display_name: string;
  language: string;
  share_code: string;
  public_key: string;
  region: string;
}

export interface Service {
  service_id: string;
  company_user_id: string;
  name: string;
  share_code: string;
  public_key: string;
}

/** Writes that leave what already stands as it is, so that provisioning can be repeated. */

export const addAccount = (frontDoor: Db, { user_id, type, email, region }: Profile, now: Date) =>
  many(frontDoor, sql`
    insert into account (user_id, type, email, region, created_at)
    values (${user_id}, ${type}, ${email}, ${region}, ${now})
    on conflict (user_id) do nothing`);

export const addProfile = (region: Db, { user_id, type, display_name, language, share_code, public_key }: Profile, now: Date) =>
  many(region, sql`
    insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
    values (${user_id}, ${type}, ${display_name}, ${language}, ${share_code}, ${public_key}, ${now})
    on conflict (user_id) do nothing`);

export const addService = (region: Db, { service_id, company_user_id, name, share_code, public_key }: Service, now: Date) =>
  many(region, sql`
    insert into service (service_id, company_user_id, name, share_code, public_key, created_at)
    values (${service_id}, ${company_user_id}, ${name}, ${share_code}, ${public_key}, ${now})
    on conflict (service_id) do nothing`);

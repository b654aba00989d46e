import type { EncryptedPrivateKey, Level } from '@cds/contracts';
import { many, one, sql, type Db } from '@cds/runtime/db';

export interface Profile {
  user_id: string;
  type: 'person' | 'company';
  email: string;
  password_hash: string | null;
  level: Level;
  display_name: string;
  language: string;
  share_code: string;
  public_key: string;
  encrypted_private_key: EncryptedPrivateKey | null;
  region: string;
}

export interface Service {
  service_id: string;
  company_user_id: string;
  name: string;
  share_code: string;
  admin_email: string;
  public_key: string;
  encrypted_private_key: EncryptedPrivateKey | null;
}

/** Writes that leave what already stands as it is and fill what is missing, so that provisioning can be repeated. */

/** Answers where the user lives. A row from before accounts could sign in has no share code here, and gets its level too. */
export async function addAccount(frontDoor: Db, profile: Profile, now: Date): Promise<string> {
  const { user_id, type, email, password_hash, share_code, public_key, level, region } = profile;
  const account = await one<{ region: string }>(
    frontDoor,
    sql`
    insert into account as a (user_id, type, email, password_hash, share_code, public_key, level, region, created_at)
    values (${user_id}, ${type}, ${email}, ${password_hash}, ${share_code}, ${public_key}, ${level}, ${region}, ${now})
    on conflict (user_id) do update
       set password_hash = coalesce(a.password_hash, excluded.password_hash),
           share_code = coalesce(a.share_code, excluded.share_code),
           public_key = coalesce(a.public_key, excluded.public_key),
           level = case when a.share_code is null then excluded.level else a.level end
    returning region`,
  );
  return account!.region;
}

export const addProfile = (region: Db, { user_id, type, display_name, language, share_code, ...keys }: Profile, now: Date) =>
  many(
    region,
    sql`
    insert into profile as p (user_id, type, display_name, language, share_code, public_key, encrypted_private_key, created_at)
    values (${user_id}, ${type}, ${display_name}, ${language}, ${share_code}, ${keys.public_key}, ${keys.encrypted_private_key}, ${now})
    on conflict (user_id) do update set encrypted_private_key = coalesce(p.encrypted_private_key, excluded.encrypted_private_key)`,
  );

export const addService = (region: Db, { service_id, company_user_id, name, share_code, admin_email, ...keys }: Service, now: Date) =>
  many(
    region,
    sql`
    insert into service as s (service_id, company_user_id, name, share_code, admin_email, public_key, encrypted_private_key, created_at)
    values (${service_id}, ${company_user_id}, ${name}, ${share_code}, ${admin_email},
            ${keys.public_key}, ${keys.encrypted_private_key}, ${now})
    on conflict (service_id) do update
       set admin_email = case when s.admin_email = '' then excluded.admin_email else s.admin_email end,
           encrypted_private_key = coalesce(s.encrypted_private_key, excluded.encrypted_private_key)`,
  );

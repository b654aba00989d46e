import { SEALED_CHARS, type Verification } from '@codase/contracts';
import { execute, hasRow, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { ContactValueEntity } from './shared-value.entity.ts';

/** A value of a user's own profile: the source that live answers follow. @gap D1-5.8 */
export type SourceRow = Omit<ContactValueEntity, 'owner_user_id'>;

export const listSources = (db: Db, owner_user_id: string): Promise<SourceRow[]> =>
  many<SourceRow>(db)`select * from contact_value where owner_user_id = ${owner_user_id} order by slug`;

/** Returns the values of some fields of a profile that are not private. */
export const listPublicSources = (db: Db, owner_user_id: string, slugs: readonly string[]) =>
  many<Pick<SourceRow, 'slug' | 'value'>>(db)`
    select slug, value from contact_value where owner_user_id = ${owner_user_id} and slug = any(${slugs}::text[]) and not is_private`;

/** Returns how many bytes all values of a profile have together, without reading them. */
export const bytesOfSources = async (db: Db, owner_user_id: string): Promise<number> =>
  Number(
    (await one<{ bytes: string }>(db)`
      select coalesce(sum(octet_length(value)), 0) as bytes from contact_value where owner_user_id = ${owner_user_id}`)!.bytes,
  );

/** Returns how many bytes a value has, without reading it. */
export const findSourceSize = (db: Db, owner_user_id: string, slug: string) =>
  one<{ is_private: boolean; bytes: number }>(
    db,
  )`select is_private, octet_length(value) as bytes from contact_value where owner_user_id = ${owner_user_id} and slug = ${slug}`;

/** One part of a value that may be long, and how many parts the value has at most. */
type SourcePart = Pick<SourceRow, 'is_private' | 'updated_at'> & { part: string; parts: number };

/**
 * Returns the part with number `nth`, counted from 1, each with `chars` characters. The part is empty for a private value, which is sealed
 * to its owner alone. The parts are counted by bytes, which takes no reading of the value, so the last parts of some values are empty.
 */
export const findSourcePart = (
  db: Db,
  owner_user_id: string,
  slug: string,
  { nth, chars }: { nth: number; chars: number },
): Promise<SourcePart | undefined> =>
  one<SourcePart>(db)`
    select is_private, updated_at, ceil(octet_length(value)::numeric / ${chars})::int as parts,
           case when is_private then '' else substr(value, ${(nth - 1) * chars + 1}, ${chars}) end as part
      from contact_value where owner_user_id = ${owner_user_id} and slug = ${slug}`;

/** A field and its verification, without its value. */
type Known = Pick<SourceRow, 'slug' | 'verification'>;
export const listVerifications = (db: Db, owner_user_id: string, slugs: readonly string[]) =>
  many<Known>(db)`select slug, verification from contact_value where owner_user_id = ${owner_user_id} and slug = any(${slugs}::text[])`;

/** Stores a value without a verification, since a new value has not been verified yet. @gap D1-2.7 */
export async function putSource(tx: EntityManager, owner_user_id: string, given: Omit<SourceRow, 'verification'>): Promise<SourceRow> {
  const { slug, value, is_private, updated_at } = given;
  const put = await one<SourceRow>(tx)`
    insert into contact_value (owner_user_id, slug, value, is_private, verification, updated_at)
    values (${owner_user_id}, ${slug}, ${value}, ${is_private}, '{}', ${updated_at})
    on conflict (owner_user_id, slug) do update
       set value = excluded.value, is_private = excluded.is_private, verification = '{}', updated_at = excluded.updated_at
    returning *`;
  return put!;
}

/** Deletes a value. Returns whether there was one. */
export const removeSource = async (tx: EntityManager, owner_user_id: string, slug: string): Promise<boolean> =>
  (await tx.getRepository(ContactValueEntity).delete({ owner_user_id, slug })).affected === 1;

/** The verification of a value, and when the value was set. */
export const findVerification = (db: Db, owner_user_id: string, slug: string) =>
  one<Pick<SourceRow, 'verification' | 'updated_at'>>(
    db,
  )`select verification, updated_at from contact_value where owner_user_id = ${owner_user_id} and slug = ${slug}`;

export const verifySource = (tx: EntityManager, owner_user_id: string, slug: string, verification: Verification) =>
  execute(tx)`
    update contact_value set verification = ${JSON.stringify(verification)} where owner_user_id = ${owner_user_id} and slug = ${slug}`;

/** A value that is marked as verified, without the value. */
export type VerifiedRow = Pick<ContactValueEntity, 'owner_user_id' | 'slug' | 'verification'>;

/** Finds the value that has a verification. */
export const findVerified = (db: Db, verification_id: string): Promise<VerifiedRow | undefined> =>
  one<VerifiedRow>(db)`
    select owner_user_id, slug, verification from contact_value
     where verification <> '{}' and verification->>'verification_id' = ${verification_id}`;

/** Returns a value that is not private; undefined for any other, and for a long one, which is not read for this. */
export const findClearValue = async (db: Db, owner_user_id: string, slug: string): Promise<string | undefined> =>
  (
    await one<{ value: string }>(db)`
      select value from contact_value
       where owner_user_id = ${owner_user_id} and slug = ${slug} and not is_private and octet_length(value) <= ${SEALED_CHARS}`
  )?.value;

/**
 * Returns some verified values of users at home here whose verification is over: its time is, one of these keys signed it, or no key did,
 * as before there were providers. They come in the order of their keys, behind the one that was read last.
 */
export function listEndedVerifications(
  db: Db,
  now: Date,
  revoked: readonly { provider_id: string; kid: string }[],
  { after, most }: { after: VerifiedRow | undefined; most: number },
): Promise<VerifiedRow[]> {
  return many<VerifiedRow>(db)`
    select v.owner_user_id, v.slug, v.verification
      from contact_value v join profile p on p.user_id = v.owner_user_id and p.home = 'here'
     where v.verification <> '{}' and (v.owner_user_id, v.slug) > (${after?.owner_user_id ?? ''}, ${after?.slug ?? ''})
       and ((v.verification->>'verified_expires_at')::timestamptz <= ${now} or v.verification->>'attested_key' is null
            or exists (select from jsonb_to_recordset(${JSON.stringify(revoked)}) as r (provider_id text, kid text)
                        where r.provider_id = v.verification->>'verified_provider' and r.kid = v.verification->>'attested_key'))
     order by v.owner_user_id, v.slug
     limit ${most}`;
}

/** Removes a verification from the value and from the slots that show it. Returns whether anything had it. */
export async function forgetVerification(tx: EntityManager, verification_id: string): Promise<boolean> {
  const source = await hasRow(tx)`
    update contact_value set verification = '{}'
     where verification <> '{}' and verification->>'verification_id' = ${verification_id} returning slug`;
  const slot = await hasRow(tx)`
    update shared_value set verification = '{}'
     where verification <> '{}' and verification->>'verification_id' = ${verification_id} returning shared_value_id`;
  return source || slot;
}

/** Returns how many characters all values of a profile have together. */
export async function weighSources(tx: EntityManager, owner_user_id: string): Promise<number> {
  const weighed = await one<{ chars: string }>(tx)`
    select coalesce(sum(length(value)), 0) as chars from contact_value where owner_user_id = ${owner_user_id}`;
  return Number(weighed!.chars);
}

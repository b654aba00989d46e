import type { FlowDefinition } from '@codase/contracts';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import type { Slice } from '../../kit/paging.ts';
import type { FlowRow, PublishedVersion } from './flow-row.ts';

type VersionRow = Omit<PublishedVersion, 'definition'> & { definition: string; digest: string };

const read = (row: VersionRow | undefined): (PublishedVersion & { digest: string }) | undefined =>
  row && { ...row, definition: JSON.parse(row.definition) as FlowDefinition };

/** Finds a version of a flow, even if a later one was published. */
export const findVersion = async (db: Db, flow_id: string, version: number): Promise<(PublishedVersion & { digest: string }) | undefined> =>
  read(
    await one<VersionRow>(db)`
      select flow_version_id, flow_id, version, definition, plugins, digest, published_at from flow_version
       where flow_id = ${flow_id} and version = ${version}`,
  );

/** A version without its definition. */
type VersionSummary = Pick<PublishedVersion, 'version' | 'published_at'>;

/** Lists versions, the newest first, one more than requested. */
export const listVersions = (db: Db, flow_id: string, { limit, after }: Slice): Promise<VersionSummary[]> => {
  const before = after && /^\d{1,9}$/.test(after.id) ? Number(after.id) : null;
  return many<VersionSummary>(db)`
    select version, published_at from flow_version
     where flow_id = ${flow_id} and (${before}::integer is null or version < ${before})
     order by version desc
     limit ${limit + 1}`;
};

interface NewVersion {
  flow: FlowRow;
  version: number;
  /** The definition as JSON. */
  definition: string;
  plugins: readonly string[];
  digest: string;
  now: Date;
}

/**
 * Adds a version, to which new runs are pinned from now on. The flow is locked. Its key is random: a row that a company brought from
 * another region cannot have taken it before.
 */
export async function addVersion(tx: EntityManager, { flow, version, definition, plugins, digest, now }: NewVersion): Promise<void> {
  const { flow_id, company_user_id, service_id } = flow;
  await execute(tx)`
    insert into flow_version (flow_version_id, company_user_id, service_id, flow_id, version, definition, plugins, digest, published_at)
    values (${newId('flv')}, ${company_user_id}, ${service_id}, ${flow_id}, ${version}, ${definition}, ${plugins}::text[],
            ${digest}, ${now})`;
  await execute(tx)`update flow set published_version = ${version} where flow_id = ${flow_id}`;
}

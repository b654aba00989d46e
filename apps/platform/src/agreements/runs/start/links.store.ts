import { execute, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../../../kit/ids.ts';
import type { RunRow } from '../run-row.ts';
import type { FlowLinkEntity } from './flow-link.entity.ts';

/** A file that a customer has linked to a field of a flow. */
export type LinkRow = Pick<FlowLinkEntity, 'slug' | 'type' | 'source_field' | 'run_id'>;

/** Stores links in place of older ones of the same fields. The run and its connections are locked. */
export const putLinks = (tx: EntityManager, run: RunRow, connection_id: string, links: readonly Omit<LinkRow, 'run_id'>[], now: Date) =>
  execute(tx)`
    insert into flow_link as l (link_id, company_user_id, connection_id, flow_id, slug, type, source_field, run_id, linked_at)
    select n.link_id, ${run.company_user_id}, ${connection_id}, ${run.flow_id}, n.slug, n.type, n.source_field, ${run.run_id},
           ${now}::timestamptz
      from json_to_recordset(${JSON.stringify(links.map((link) => ({ ...link, link_id: newId('link') })))}) as n (
        link_id text, slug text, type text, source_field text)
    on conflict (connection_id, flow_id, slug) do update
       set type = excluded.type, source_field = excluded.source_field, run_id = excluded.run_id, linked_at = excluded.linked_at`;

export const findLink = (db: Db, { connection_id, flow_id, slug }: { connection_id: string; flow_id: string; slug: string }) =>
  one<LinkRow>(db)`
    select slug, type, source_field, run_id from flow_link
     where connection_id = ${connection_id} and flow_id = ${flow_id} and slug = ${slug}`;

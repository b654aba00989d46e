import type { Input, Output, services } from '@codase/contracts';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { FieldPlugin } from './services.hook.ts';
import type { OwnService, ServiceRow } from './service-row.ts';

export type NewRequestField = Input<typeof services.publishRequestFields>['body']['fields'][number];
export type OwnRequestField = Output<typeof services.readOwnRequestFields>['fields'][number];

interface RequestFieldRow extends Omit<OwnRequestField, 'verified_max_age_days'> {
  verified_max_age_days: number | null;
}

/** Returns the rows of a service's request, in the order of their publication. @spec D1-2.6 */
export async function listRequestFields(db: Db, { company_user_id, service_id }: OwnService): Promise<OwnRequestField[]> {
  const rows = await many<RequestFieldRow>(db, 'request_fields')`
      select service_field_id, slug, label, type, one_time, mandatory, audience, verified, verified_max_age_days, plugin
        from request_field
       where service_id = ${service_id} and company_user_id = ${company_user_id}
       order by position`;
  return rows.map(({ verified_max_age_days, ...row }) => ({ ...row, ...(verified_max_age_days !== null && { verified_max_age_days }) }));
}

/** Replaces the rows of a service. A row whose id already exists is changed. The service is locked. */
export async function replaceRequestFields(tx: EntityManager, own: OwnService, fields: readonly IdentifiedField[]): Promise<ServiceRow> {
  const { company_user_id, service_id } = own;
  const ids = fields.map(({ service_field_id }) => service_field_id);
  const rows = fields.map((field, position) => ({ ...field, position }));
  await execute(tx)`delete from request_field where service_id = ${service_id} and service_field_id <> all(${ids}::text[])`;
  await execute(tx)`
    insert into request_field (service_field_id, company_user_id, service_id, position, slug, label, type,
                               one_time, mandatory, audience, verified, verified_max_age_days, plugin)
    select service_field_id, ${company_user_id}, ${service_id}, position, slug, label, type,
           one_time, mandatory, audience, verified, verified_max_age_days, nullif(plugin, 'null'::jsonb)
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(service_field_id text, position integer, slug text, label text, type text,
             one_time boolean, mandatory boolean, audience text, verified boolean, verified_max_age_days integer, plugin jsonb)
    on conflict (service_field_id) do update
       set position = excluded.position, label = excluded.label, one_time = excluded.one_time, mandatory = excluded.mandatory,
           audience = excluded.audience, verified = excluded.verified, verified_max_age_days = excluded.verified_max_age_days,
           plugin = excluded.plugin`;
  const service = await one<ServiceRow>(tx)`
    update service set config_version = config_version + 1 where service_id = ${service_id} returning *`;
  return service!;
}

/** A row with the description of its plugin. */
export type DescribedField = Omit<NewRequestField, 'plugin'> & { plugin: FieldPlugin | null };
type IdentifiedField = DescribedField & { service_field_id: string };

/** Returns the rows of a company that these plugins answer. @spec D1-2.11 */
export const pluginFieldsOf = (db: Db, company_user_id: string, plugin_ids: readonly string[]) =>
  many<{ plugin_id: string; name: string }>(db)`
  select f.plugin ->> 'plugin_id' as plugin_id, s.name || ': ' || f.label as name
    from request_field f join service s using (service_id)
   where f.company_user_id = ${company_user_id} and f.plugin ->> 'plugin_id' = any(${plugin_ids}::text[])
   order by s.name, f.position`;

/**
 * What the delivery may do in the database of a region. It faces the internet, so it has no more than its statements need: of services,
 * accounts and slots the columns that a delivery or a mail is made of, and no right to say where events go.
 */
const GRANTS: Readonly<Record<string, readonly string[]>> = {
  migrations: ['select (name)'],
  webhook: ['select', 'update (health, health_since, next_probe_at, alerted_at, is_settled)'],
  feed_event: ['select', 'delete'],
  lease: ['select', 'insert', 'update', 'delete'],
  replica: ['select', 'insert', 'update', 'delete'],
  mail: ['select', 'insert', 'update (attempts, next_at, held_until)', 'delete'],
  mail_digest: ['select', 'insert', 'delete'],
  service_log: ['insert'],
  profile: ['select (user_id, home, public_key)'],
  service: ['select (service_id, name, admin_email, admin_email_confirmed_at)'],
  request_field: ['select (service_field_id, slug)'],
  shared_value: ['select (connection_id, service_field_id, live, value)'],
};

/** Functions run with their owner's rights, and anybody may call a new one: those are for whoever may write accounts. */
const CLOSE_LENT = `
  do $$
  declare
    lent regprocedure;
    app regrole;
  begin
    for lent in select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and proname <> 'hold_services' loop
      for app in
        select distinct a.grantee from pg_class c, aclexplode(c.relacl) a
         where c.oid = 'profile'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
      loop
        execute format('grant execute on function %s to %s', lent, app);
      end loop;
      execute format('revoke execute on function %s from public', lent);
    end loop;
  end $$`;

/** The statements that give a role the rights of the delivery, and no others; said by the owner of the database, after its migrations. */
export function grantsOfDelivery(role: string): string[] {
  const quoted = `"${role.replaceAll('"', '""')}"`;
  return [
    `revoke all on all tables in schema public from ${quoted}`,
    ...Object.entries(GRANTS).map(([table, rights]) => `grant ${rights.join(', ')} on ${table} to ${quoted}`),
    CLOSE_LENT,
  ];
}

/**
 * The rights of the delivery in the database of a region. The delivery faces the internet, so it has no more rights than its statements
 * need: of services, accounts and slots it reads the columns that a delivery or a mail needs, and it cannot change where events go.
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
  shared_value: ['select (company_user_id, connection_id, service_field_id, live, value)'],
};

/**
 * Restricts the functions that run with the rights of their owner, because any role may call a new one: only roles that may add profiles
 * keep the right. `hold_services` is left out, because the delivery calls it.
 */
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

/** Returns the statements that give a role the rights of the delivery alone. The owner of the database runs them after its migrations. */
export function grantsOfDelivery(role: string): string[] {
  const quoted = `"${role.replaceAll('"', '""')}"`;
  return [
    `revoke all on all tables in schema public from ${quoted}`,
    ...Object.entries(GRANTS).map(([table, rights]) => `grant ${rights.join(', ')} on ${table} to ${quoted}`),
    CLOSE_LENT,
  ];
}

-- Run once for each database, after it was created: psql -v database=twofa -v owner=twofa_owner -v app=twofa_app -d twofa -f privileges.sql
-- The app role may change rows and nothing else. Only the roles of a database may connect to it, and none of them to the databases that
-- every server has. The script can be repeated.
revoke all on database :"database", postgres, template1 from public;
grant connect on database :"database" to :"app";
alter default privileges for role :"owner" grant usage on schemas to :"app";
alter default privileges for role :"owner" grant usage on sequences to :"app";
alter default privileges for role :"owner" grant select, insert, update, delete on tables to :"app";
grant usage on schema public to :"app";
grant select, insert, update, delete on all tables in schema public to :"app";
grant usage on all sequences in schema public to :"app";
-- For the database of a region add -v delivery=region_eu_delivery: this role may connect, and the migration grants it what it needs.
\if :{?delivery}
grant connect on database :"database" to :"delivery";
\endif

-- Once for each database, after it was made: psql -v database=twofa -v owner=twofa_owner -v app=twofa_app -d twofa -f privileges.sql
-- The app role changes rows, and nothing else; nobody but the roles of a database connects to it. Safe to repeat.
revoke all on database :"database" from public;
grant connect on database :"database" to :"app";
alter default privileges for role :"owner" grant usage on schemas to :"app";
alter default privileges for role :"owner" grant usage on sequences to :"app";
alter default privileges for role :"owner" grant select, insert, update, delete on tables to :"app";
grant usage on schema public to :"app";
grant select, insert, update, delete on all tables in schema public to :"app";
grant usage on all sequences in schema public to :"app";
-- -v delivery=region_eu_delivery for the database of a region: it may connect, and the migration grants what it needs.
\if :{?delivery}
grant connect on database :"database" to :"delivery";
\endif

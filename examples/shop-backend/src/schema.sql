-- Replicas that start at the same time run this script one after the other.
select pg_advisory_xact_lock(hashtext('shop_backend'));

create table if not exists customer (
  person_id text primary key,
  connection_id text not null,
  name text not null,
  connected_at timestamptz not null
);

-- The values that a customer shares, by the slug of the request field. The value of a file is not stored here.
create table if not exists customer_field (
  person_id text not null references customer on delete cascade,
  slug text not null,
  value jsonb,
  changed_at timestamptz not null,
  primary key (person_id, slug)
);
-- False when the value is no longer shared: changed_at then says since when.
alter table customer_field add column if not exists is_shared boolean not null default true;

-- Contracts that were sent, with the sealed copy when they were signed. They stay when the customer is deleted, as records of both sides.
create table if not exists contract (
  document_id   text primary key,
  person_id     text not null,
  plain_sha256  text not null,
  status        text not null,
  signed_pdf    bytea
);

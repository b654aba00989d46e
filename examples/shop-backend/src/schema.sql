-- Replicas that start at once take turns.
select pg_advisory_xact_lock(hashtext('shop_backend'));

create table if not exists customer (
  person_id text primary key,
  connection_id text not null,
  name text not null,
  connected_at timestamptz not null
);

-- What a customer shares, by the slug of what the shop asked for. A file has no value here.
create table if not exists customer_field (
  person_id text not null references customer on delete cascade,
  slug text not null,
  value jsonb,
  changed_at timestamptz not null,
  primary key (person_id, slug)
);
-- False for what is no longer shared: the row remembers since when.
alter table customer_field add column if not exists is_shared boolean not null default true;

-- Contracts that were sent, and the sealed copies of those that were signed. They outlast the customer: they are records of both sides.
create table if not exists contract (
  document_id   text primary key,
  person_id     text not null,
  plain_sha256  text not null,
  status        text not null,
  signed_pdf    bytea
);

import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Documents that services issue. They are stored in the region of the company, and outlast the connection: a contract document is a record
 * of both sides. @spec D1-2.12
 */
export class Documents1763164800046 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The person may live in another region: no reference to a profile. A document without a person is for all customers of the service.
    await db.query(`
      create table document (
        document_id            text primary key,
        company_user_id        text not null references profile on delete cascade,
        service_id             text not null references service on delete cascade,
        connection_id          text,
        person_user_id         text,
        share_code             text,
        customer_type          text check (customer_type in ('person', 'company')),
        name                   text not null,
        kind                   text not null check (kind in ('document', 'agreement', 'subscription')),
        payload_kind           text not null check (payload_kind in ('json', 'file')),
        requires_signature     boolean not null,
        requires_acceptance    boolean not null,
        is_private             boolean not null,
        status                 text not null
          check (status in ('offering', 'ready_to_sign', 'active', 'active_but_ending', 'ended')),
        metadata               json not null,
        content_type           text,
        content_sha256         text not null,
        plain_sha256           text,
        sealed_at              timestamptz,
        cancel_effective_date  text check (cancel_effective_date ~ '^\\d{4}-\\d\\d-\\d\\d$'),
        created_at             timestamptz not null,
        check ((person_user_id is null) = (connection_id is null)),
        check ((person_user_id is null) = (customer_type is null)),
        check (person_user_id is not null or (kind = 'document' and not requires_signature and not requires_acceptance)),
        check (status <> 'active_but_ending' or cancel_effective_date is not null)
      )`);
    await db.query(`create index document_of_company on document (company_user_id, document_id)`);
    await db.query(`create index document_of_service on document (service_id, created_at desc, document_id desc)`);
    await db.query(`create index document_of_person on document (person_user_id, created_at desc, document_id desc)`);
    await db.query(`create index document_of_connection on document (connection_id)`);
    await db.query(`create index document_to_all on document (service_id, created_at desc, document_id desc) where person_user_id is null`);
    await db.query(`create index document_ending on document (cancel_effective_date) where status = 'active_but_ending'`);
    await db.query(`
      create index document_in_force on document (service_id)
        where kind in ('agreement', 'subscription') and status in ('active', 'active_but_ending')`);

    await db.query(`
      create table document_signature (
        signature_id          text primary key,
        company_user_id       text not null references profile on delete cascade,
        document_id           text not null references document on delete cascade,
        user_id               text not null,
        action                text not null check (action in ('signed', 'accepted')),
        method                text check (method in ('biometric', 'twofa', 'email', 'custodian')),
        content_sha256        text,
        plain_sha256          text,
        signer_first_name     text,
        signer_last_name      text,
        signer_name_verified  boolean,
        created_at            timestamptz not null,
        unique (document_id, user_id),
        check ((action = 'signed') = (method is not null))
      )`);
    await db.query(`create index document_signature_of_company on document_signature (company_user_id, signature_id)`);

    // reader: the recipient, the company, or everybody. While a content is uploaded, it belongs to no document.
    await db.query(`
      create table document_content (
        content_id       text primary key,
        company_user_id  text not null references profile on delete cascade,
        document_id      text references document on delete cascade,
        reader           text check (reader in ('recipient', 'company', 'everybody')),
        created_at       timestamptz not null,
        check ((document_id is null) = (reader is null)),
        unique (document_id, reader)
      )`);
    await db.query(`create index document_content_of_company on document_content (company_user_id, content_id)`);
    await db.query(`create index document_content_uploading on document_content (created_at) where document_id is null`);

    // Contents are stored in pieces: a wrapper or JSON as it was received, or the base64 of a plaintext file.
    await db.query(`
      create table document_piece (
        piece_id         text primary key,
        company_user_id  text not null references profile on delete cascade,
        content_id       text not null references document_content on delete cascade,
        position         integer not null,
        piece            text not null,
        unique (content_id, position)
      )`);
    await db.query(`create index document_piece_of_company on document_piece (company_user_id, piece_id)`);

    // A document may be addressed by the share code of a customer.
    await db.query(`create index connection_by_code on connection (service_id, share_code)`);
  }
}

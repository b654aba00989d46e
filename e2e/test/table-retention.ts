/** What ends the rows of a table: a file that deletes them by their age or use, or the owner's act; or why they need no end. */
export type Rows = { endedBy: string } | { stay: string };

const ended = (endedBy: string): Rows => ({ endedBy });
const stay = (why: string): Rows => ({ stay: why });

const PLATFORM = 'apps/platform/src';
const OWNED = stay('what its owner keeps, bounded by limits of the contracts, and deleted by the owner');

const AUDIT: Record<string, Rows> = {
  'audit.entry': ended(`${PLATFORM}/audit/partitions.worker.ts`),
  'audit.epoch': stay('a row for each restore of the database'),
};

/** Every table of every database. One that is not here fails a test: a table with no end fills a disk years after it was made. */
export const TABLES: Readonly<Record<'front_door' | 'region_eu' | 'feed_consumer' | 'twofa' | 'flows', Readonly<Record<string, Rows>>>> = {
  front_door: {
    ...AUDIT,
    account: OWNED,
    account_deletion: stay('one row for each account that was deleted, by its id alone: what was deleted stays so'),
    account_mail: ended(`${PLATFORM}/account-mail/account-mail.store.ts`),
    authorization_code: ended(`${PLATFORM}/tokens/expired-grants.worker.ts`),
    client: OWNED,
    client_pattern: OWNED,
    deletion_code: ended(`${PLATFORM}/account-deletion/deletion-codes.store.ts`),
    detached_result: ended(`${PLATFORM}/sign-in/enrolments.store.ts`),
    enrolment: ended(`${PLATFORM}/sign-in/enrolment-hand-over.worker.ts`),
    field_type: stay('a row for each type that an operator has added'),
    password_failures: ended(`${PLATFORM}/identity/passwords/password-attempts.store.ts`),
    pending_sign_up: ended(`${PLATFORM}/identity/sign-up/sign-up.store.ts`),
    profile_to_hand_over: ended(`${PLATFORM}/identity/sign-up/sign-up.store.ts`),
    refresh_token: ended(`${PLATFORM}/tokens/expired-grants.worker.ts`),
    known_seal_certificate: stay('a row for each certificate that a region sealed with: seals are verified with them for good'),
    region_mode: stay('a row for each region'),
    region_move: ended(`${PLATFORM}/moves/moves.store.ts`),
    session: ended(`${PLATFORM}/tokens/expired-grants.worker.ts`),
    sign_in_address: ended(`${PLATFORM}/identity/passwords/password-attempts.store.ts`),
    withdrawn_client: ended(`${PLATFORM}/clients/clients.store.ts`),
  },
  region_eu: {
    ...AUDIT,
    app_event: ended(`${PLATFORM}/app-events/retention.worker.ts`),
    app_event_log: stay('one row for each person whose phone was told of something, written over'),
    app_event_outbox: ended(`${PLATFORM}/app-events/outbox.store.ts`),
    asking_company: ended(`${PLATFORM}/connect-requests/requests.store.ts`),
    challenge: ended(`${PLATFORM}/challenges/challenge-retention.worker.ts`),
    connect_request: ended(`${PLATFORM}/connect-requests/request-retention.worker.ts`),
    connection: OWNED,
    contact_field: OWNED,
    contact_value: OWNED,
    customer_company: stay('one row for each customer and company that are connected; it is deleted with the last connection'),
    customer_event_outbox: ended(`${PLATFORM}/feed/customer-outbox.store.ts`),
    customer_write: stay('one row for each customer, written over'),
    declined_field: OWNED,
    deleted_account: stay('one row for each account that was deleted, by its id alone: nothing of it comes back'),
    document: OWNED,
    document_content: ended(`${PLATFORM}/documents/abandoned-uploads.worker.ts`),
    document_piece: stay('pieces of contents; they go with these'),
    document_signature: OWNED,
    feed_event: ended(`${PLATFORM}/feed/partitions.worker.ts`),
    feed_lease: ended(`${PLATFORM}/feed/channel.store.ts`),
    lease: stay('a row for each shard of the delivery'),
    mail: ended(`${PLATFORM}/mail/outbox.store.ts`),
    mail_digest: ended(`${PLATFORM}/mail/mail-digest.store.ts`),
    mail_quota: ended(`${PLATFORM}/mail/mail-quota.store.ts`),
    message: ended(`${PLATFORM}/messages/message-retention.worker.ts`),
    move_turn: stay('one row for each company that ever moved: it tells late messages of an earlier move apart'),
    object_store: stay('one row'),
    parcel_piece: ended(`${PLATFORM}/connections/abandoned-chunks.worker.ts`),
    profile: OWNED,
    rate_bucket: ended(`${PLATFORM}/tokens/limits/rate-bucket-retention.worker.ts`),
    replica: ended('libs/runtime/src/resilience/leases/shard-leases.ts'),
    request_field: OWNED,
    seal_certificate: stay('a row for each certificate that the region sealed with: seals are verified with them for good'),
    service: OWNED,
    service_log: ended(`${PLATFORM}/services/service-log-retention.worker.ts`),
    shared_file: ended(`${PLATFORM}/connections/expired-files.worker.ts`),
    shared_value: OWNED,
    slot_change: ended(`${PLATFORM}/connections/slot-changes.store.ts`),
    stored_object: ended(`${PLATFORM}/files/deleted-objects.worker.ts`),
    twofa_enrolment: stay('one row for each person and service; it ends with the connection'),
    webhook: OWNED,
  },
  feed_consumer: {
    channel: stay('a row for each service of CHANNELS'),
    known_person: stay('a row for each person who is connected; a comparison deletes the others'),
    lease: stay('a row for each channel and each shard'),
    published: ended('apps/feed-consumer/src/publish/relay.worker.ts'),
    replica: ended('libs/runtime/src/resilience/leases/shard-leases.ts'),
    spool: ended('apps/feed-consumer/src/publish/relay.worker.ts'),
  },
  twofa: { challenge: ended('apps/twofa/src/challenges/challenges.store.ts') },
  flows: {
    run: ended('apps/flows/src/turns/runs.store.ts'),
    run_start: ended('apps/flows/src/starts/starts.store.ts'),
    turn_event: ended('apps/flows/src/turns/runs.store.ts'),
  },
};

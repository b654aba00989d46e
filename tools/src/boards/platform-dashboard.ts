import type { DashboardPlan } from './dashboard.ts';
import { grown, highest, hourly, IN, line, OUTCOME, p99, p99s, rates, sums, WHERE } from './queries.ts';

const FAULTS = '{namespace=~"$namespace",app=~"$app",http_response_status_code=~"5.."}';
const rateOf = (which: string) => `sum by (app) (rate(http_server_request_duration_seconds_count${which}[$__rate_interval]))`;

export const PLATFORM: DashboardPlan = {
  uid: 'codase-platform',
  title: 'Platform: who is served, and how fast?',
  rows: {
    Callers: [
      rates('Requests per second', 'reqps', 'By role.', { '{{app}}': 'http_server_request_duration_seconds_count' }),
      p99s('Time to answer, 99 of 100', 'By role.', { '{{app}}': 'http_server_request_duration_seconds' }),
      line('Answers that are our fault', 'percentunit', 'Share of 5xx. Above 1 % an alert comes.', {
        '{{app}}': `(${rateOf(FAULTS)} or 0 * ${rateOf(WHERE)}) / (${rateOf(WHERE)} > 0)`,
      }),
      rates('Refused per second', 'reqps', 'By rate limits; by limits of connections and bytes; assertions of clients.', {
        '{{codase_limit}}': 'codase_rate_limited_total',
        'assertions: {{codase_outcome}}': 'codase_clients_assertions_refused_total',
        'connections: {{codase_limit}}': 'codase_http_connections_closed_total',
        overloaded: 'codase_http_overloaded_total',
      }),
    ],
    'Events on their way out': [
      highest('Oldest event that waits for a webhook', 's', 'By region. After 7 days it is lost.', {
        '{{codase_region}}': 'codase_webhook_backlog_age_seconds',
      }),
      line('Deliveries to webhooks, 99 of 100', 's', 'Time until the receiver answered.', {
        delivery: p99('codase_webhook_delivery_duration_seconds', 'app'),
      }),
      line('Keys that sign deliveries', 'short', 'By region. Two during a rotation; after three days of that an alert comes.', {
        '{{codase_region}}': `max by (codase_region) (codase_webhook_signing_keys${WHERE})`,
      }),
      rates('Drained per second', 'cps', 'Events that left the pull feed, and drains that were cut off.', {
        drained: 'codase_feed_drained_total',
        'cut off': 'codase_feed_cut_total',
      }),
      hourly('Lost for good in an hour', 'Events for webhooks that waited too long, mails given up, changes that another region refused.', {
        events: 'codase_webhook_purged_total',
        mails: 'codase_mail_given_up_total',
        'mails of accounts': 'codase_account_mail_given_up_total',
        slots: 'codase_slot_changes_given_up_total',
      }),
    ],
    'Persons and logins': [
      rates('Tokens issued per second', 'ops', 'Access tokens, for clients and persons.', { tokens: 'codase_tokens_issued_total' }),
      line('Challenges that wait', 'short', 'For an answer of a person.', {
        pending: `sum (max by (app) (codase_challenges_pending${WHERE}))`,
      }),
      sums('Open streams of phones', 'short', 'Server-sent events.', { '{{app}}': 'codase_http_streams' }),
      line('Sessions ended in an hour', 'short', 'By persons and operators.', { ended: grown(`codase_sessions_ended_total${IN}`, '1h') }),
      hourly('Accounts changed in an hour', 'By their owners: another password, another e-mail address, a second factor.', {
        passwords: 'codase_accounts_passwords_changed_total',
        addresses: 'codase_accounts_emails_changed_total',
        'second factor on': 'codase_second_factor_switched_on_total',
        'second factor off': 'codase_second_factor_switched_off_total',
      }),
      hourly('Codes of second factors in an hour', 'Wrong ones, delayed ones, backup codes, and ones that trusted browsers spared.', {
        wrong: 'codase_second_factor_codes_wrong_total',
        delayed: 'codase_second_factor_codes_delayed_total',
        backup: 'codase_second_factor_backup_codes_used_total',
        spared: 'codase_second_factor_codes_spared_total',
      }),
      line('Second factors that no key opens', 'short', 'Their users cannot sign in. From 1 on an alert comes.', {
        accounts: `max by (app) (codase_second_factor_unreadable${WHERE})`,
      }),
      hourly(
        'Proofs of keys refused in an hour',
        'Calls and token requests with a DPoP proof that did not fit, by what was wrong with it.',
        {
          '{{codase_fault}}': 'codase_dpop_proofs_refused_total',
          'used proofs forgotten': 'codase_dpop_used_proofs_deleted_total',
        },
      ),
      hourly('Devices in an hour', 'Browsers that users chose to trust; phones, and keys of devices, that came and were removed.', {
        browsers: 'codase_second_factor_browsers_trusted_total',
        'phones added': 'codase_phones_added_total',
        'phones removed': 'codase_phones_removed_total',
        'keys added': 'codase_devices_added_total',
        'keys removed': 'codase_devices_removed_total',
      }),
      hourly('Photos in an hour', 'That users added to profiles and services, and deleted.', {
        added: 'codase_photos_added_total',
        deleted: 'codase_photos_deleted_total',
      }),
      hourly('Secrets recovered in an hour', 'Copies stored and given back, wrong codes after the right password, and resets.', {
        recovered: 'codase_recovery_secrets_recovered_total',
        stored: 'codase_recovery_copies_stored_total',
        'wrong codes': 'codase_recovery_codes_wrong_total',
        resets: 'codase_recovery_resets_total',
      }),
      hourly('Sign-ins with apps in an hour', 'Begun with the right password; how they went on, on phones and at apps.', {
        begun: 'codase_sign_in_apps_sign_ins_total',
        [OUTCOME]: 'codase_sign_in_apps_outcomes_total',
      }),
      hourly(
        'Requests for users of other regions',
        'Sent by a region for a user who does not live there, and refused. From 5 on an alert comes.',
        {
          '{{codase_caller}}': 'codase_peers_speakers_refused_total',
        },
      ),
      hourly(
        'Transparency log in an hour',
        'Entries of the audit that were added, public keys among them, and heads that were not signed. From 1 of these on an alert comes.',
        {
          added: 'codase_transparency_leaves_added_total',
          keys: 'codase_transparency_keys_logged_total',
          'heads refused': 'codase_transparency_heads_refused_total',
        },
      ),
      hourly(
        'Heads of other bases in an hour',
        'Taken, refused because they do not extend what is held, or not read; by base. From 1 refused on an alert comes.',
        {
          '{{codase_base}} {{codase_outcome}}': 'codase_transparency_heads_mirrored_total',
        },
      ),
      hourly(
        'Acts without a statement in an hour',
        'Refused, by the region that sent them; own: by apps. From 5 of a region on an alert comes.',
        {
          '{{codase_caller}} {{codase_fault}}': 'codase_devices_statements_refused_total',
        },
      ),
      hourly(
        'Verification in an hour',
        'Calls of providers, verified values that ended, and values that no attestation proves: from 1 on, but for key, an alert comes.',
        {
          [OUTCOME]: 'codase_verification_calls_total',
          ended: 'codase_verification_ended_total',
          'not proven: {{codase_fault}}': 'codase_verification_unproven_total',
        },
      ),
      hourly('Plugins of sign-in apps freed in an hour', 'By a worker: a change was interrupted, or a database was restored.', {
        freed: 'codase_sign_in_apps_plugins_freed_total',
        'held again': 'codase_sign_in_apps_plugins_held_again_total',
      }),
    ],
    'Documents and seals': [
      hourly('Documents in an hour', 'Issued by services, and what recipients did with them.', {
        issued: 'codase_documents_created_total',
        [OUTCOME]: 'codase_documents_acts_total',
      }),
      hourly('Seals in an hour', 'Refused: the PDF cannot be sealed. Failed: nobody can sign; from 1 on an alert comes.', {
        [OUTCOME]: 'codase_seals_made_total',
      }),
      p99s('Time to seal, 99 of 100', 'To read the PDF, draw the Signatures page, sign, and have it stamped.', {
        '{{app}}': 'codase_seals_duration_seconds',
      }),
      line('Certificate of seals is valid for', 's', 'By region. In the last 30 days an alert comes.', {
        '{{app}}': `min by (app) (codase_seals_certificate_left_seconds${WHERE})`,
      }),
    ],
    'Contract flows': [
      hourly('Versions published in an hour', 'By authors at the portal.', { published: 'codase_flows_published_total' }),
      hourly('Drafts judged in an hour', 'To validate, play or publish them, and what was found.', {
        [OUTCOME]: 'codase_flows_validated_total',
      }),
    ],
    'Runs of contract flows': [
      line('Open runs', 'short', 'By what they wait for.', {
        '{{codase_state}}': `sum by (codase_state) (max by (app, codase_state) (codase_flow_runs_open${WHERE}))`,
      }),
      hourly('Runs in an hour', 'Started, and how they ended.', {
        started: 'codase_flow_runs_started_total',
        [OUTCOME]: 'codase_flow_runs_ended_total',
      }),
      hourly('Turns in an hour', 'By where they led.', { [OUTCOME]: 'codase_flow_runs_turns_total' }),
      hourly('Generations in an hour', 'Of the documents of runs. A failed one is repeated, or the run is cancelled.', {
        [OUTCOME]: 'codase_flow_runs_generated_total',
      }),
      p99s('Time to generate, 99 of 100', 'To choose the rules, fill the PDFs, and store a copy for every participant.', {
        '{{app}}': 'codase_flow_runs_generation_duration_seconds',
      }),
    ],
    'Messages and connect requests': [
      hourly('Messages in an hour', 'By who wrote them.', {
        'of services': 'codase_messages_sent_total',
        'of customers': 'codase_messages_received_total',
      }),
      hourly('Connect requests in an hour', 'Asked by services, and how persons answered.', {
        requested: 'codase_connect_requests_asked_total',
        [OUTCOME]: 'codase_connect_requests_answered_total',
      }),
      hourly('Deleted by their age in an hour', 'Messages and connect requests that are kept no longer; contracts whose last day came.', {
        messages: 'codase_messages_expired_total',
        'connect requests': 'codase_connect_requests_expired_total',
        contracts: 'codase_documents_ended_total',
      }),
      hourly('Changes of delegates in an hour', 'Added, removed, left, granted, revoked, and keys that were first read.', {
        [OUTCOME]: 'codase_delegates_changes_total',
      }),
      hourly('PDFs verified in an hour', 'At the front door, by anyone, and what was found.', { [OUTCOME]: 'codase_seals_verified_total' }),
    ],
    Plugins: [
      hourly('Calls of plugins in an hour', 'At the forwarder, by how they ended: answered, or the key of the refusal.', {
        [OUTCOME]: 'codase_plugin_call_duration_seconds_count',
      }),
      p99s('Time of a plugin call, 99 of 100', 'From the question to the reply, by how it ended.', {
        [OUTCOME]: 'codase_plugin_call_duration_seconds',
      }),
    ],
    'Files in an object store': [
      highest('Objects', 'short', 'By state. Of deleted files they stay for FILE_DELETE_AFTER_DAYS; uploads are over in seconds.', {
        '{{app}} {{codase_state}}': 'codase_files_objects',
      }),
      highest('Files whose object is missing', 'short', 'Reads of them are 503 until it is back in the bucket. From 1 on an alert comes.', {
        '{{app}}': 'codase_files_objects_missing',
      }),
      hourly('Given up, deleted, corrupt in an hour', 'Given up: uploads that never ended, and objects without a row.', {
        'given up': 'codase_files_objects_orphaned_total',
        deleted: 'codase_files_objects_deleted_total',
        'corrupt when read': 'codase_files_corrupt_total',
      }),
      rates('Bytes to and from the store per second', 'Bps', 'By operation.', { '{{codase_operation}}': 'codase_files_store_bytes_total' }),
    ],
  },
};

import type { Board } from './board.ts';
import { grown, IN, line, p99, rate, WHERE } from './queries.ts';

const FAULTS = '{namespace=~"$namespace",app=~"$app",http_response_status_code=~"5.."}';
const rateOf = (which: string) => `sum by (app) (rate(http_server_request_duration_seconds_count${which}[$__rate_interval]))`;

export const PLATFORM: Board = {
  uid: 'codase-platform',
  title: 'Platform: who is served, and how fast?',
  rows: [
    {
      title: 'Callers',
      panels: [
        line('Requests per second', 'reqps', 'By role.', { '{{app}}': rate('http_server_request_duration_seconds_count', 'app') }),
        line('Time to answer, 99 of 100', 's', 'By role.', { '{{app}}': p99('http_server_request_duration_seconds', 'app') }),
        line('Answers that are our fault', 'percentunit', 'Share of 5xx. Above 1 % an alert comes.', {
          '{{app}}': `(${rateOf(FAULTS)} or 0 * ${rateOf(WHERE)}) / (${rateOf(WHERE)} > 0)`,
        }),
        line('Refused per second', 'reqps', 'By rate limits; by limits of connections and bytes.', {
          '{{codase_limit}}': rate('codase_rate_limited_total', 'codase_limit'),
          'connections: {{codase_limit}}': rate('codase_http_connections_closed_total', 'codase_limit'),
          overloaded: rate('codase_http_overloaded_total'),
        }),
      ],
    },
    {
      title: 'Events on their way out',
      panels: [
        line('Oldest event that waits for a webhook', 's', 'By region. After 7 days it is lost.', {
          '{{codase_region}}': `max by (codase_region) (codase_webhook_backlog_age_seconds${WHERE})`,
        }),
        line('Deliveries to webhooks, 99 of 100', 's', 'Time until the receiver answered.', {
          delivery: p99('codase_webhook_delivery_duration_seconds', 'app'),
        }),
        line('Drained per second', 'cps', 'Events that left the pull feed, and drains that were cut off.', {
          drained: rate('codase_feed_drained_total'),
          'cut off': rate('codase_feed_cut_total'),
        }),
        line(
          'Lost for good in an hour',
          'short',
          'Events for webhooks that waited too long, mails given up, changes that another region refused.',
          {
            events: grown(`codase_webhook_purged_total${WHERE}`, '1h'),
            mails: grown(`codase_mail_given_up_total${WHERE}`, '1h'),
            'mails of accounts': grown(`codase_account_mail_given_up_total${WHERE}`, '1h'),
            slots: grown(`codase_slot_changes_given_up_total${WHERE}`, '1h'),
          },
        ),
      ],
    },
    {
      title: 'Persons and logins',
      panels: [
        line('Tokens issued per second', 'ops', 'Access tokens, for clients and persons.', { tokens: rate('codase_tokens_issued_total') }),
        line('Challenges that wait', 'short', 'For an answer of a person.', {
          pending: `sum (max by (app) (codase_challenges_pending${WHERE}))`,
        }),
        line('Open streams of phones', 'short', 'Server-sent events.', { '{{app}}': `sum by (app) (codase_http_streams${WHERE})` }),
        line('Sessions ended in an hour', 'short', 'By persons and operators.', { ended: grown(`codase_sessions_ended_total${IN}`, '1h') }),
        line('Accounts changed in an hour', 'short', 'By their owners: another password, another e-mail address, a second factor.', {
          passwords: grown(`codase_accounts_passwords_changed_total${WHERE}`, '1h'),
          addresses: grown(`codase_accounts_emails_changed_total${WHERE}`, '1h'),
          'second factor on': grown(`codase_second_factor_switched_on_total${WHERE}`, '1h'),
          'second factor off': grown(`codase_second_factor_switched_off_total${WHERE}`, '1h'),
        }),
        line(
          'Codes of second factors in an hour',
          'short',
          'Wrong ones, delayed ones, backup codes, and ones that trusted browsers spared.',
          {
            wrong: grown(`codase_second_factor_codes_wrong_total${WHERE}`, '1h'),
            delayed: grown(`codase_second_factor_codes_delayed_total${WHERE}`, '1h'),
            backup: grown(`codase_second_factor_backup_codes_used_total${WHERE}`, '1h'),
            spared: grown(`codase_second_factor_codes_spared_total${WHERE}`, '1h'),
          },
        ),
        line('Second factors that no key opens', 'short', 'Their users cannot sign in. From 1 on an alert comes.', {
          accounts: `max by (app) (codase_second_factor_unreadable${WHERE})`,
        }),
        line('Devices in an hour', 'short', 'Browsers that users chose to trust, and phones that persons registered and removed.', {
          browsers: grown(`codase_second_factor_browsers_trusted_total${WHERE}`, '1h'),
          'phones added': grown(`codase_phones_added_total${WHERE}`, '1h'),
          'phones removed': grown(`codase_phones_removed_total${WHERE}`, '1h'),
        }),
        line('Photos in an hour', 'short', 'That users added to profiles and services, and deleted.', {
          added: grown(`codase_photos_added_total${WHERE}`, '1h'),
          deleted: grown(`codase_photos_deleted_total${WHERE}`, '1h'),
        }),
        line('Secrets recovered in an hour', 'short', 'Copies stored and given back, wrong codes after the right password, and resets.', {
          recovered: grown(`codase_recovery_secrets_recovered_total${WHERE}`, '1h'),
          stored: grown(`codase_recovery_copies_stored_total${WHERE}`, '1h'),
          'wrong codes': grown(`codase_recovery_codes_wrong_total${WHERE}`, '1h'),
          resets: grown(`codase_recovery_resets_total${WHERE}`, '1h'),
        }),
        line('Sign-ins with apps in an hour', 'short', 'Begun with the right password; how they went on, on phones and at apps.', {
          begun: grown(`codase_sign_in_apps_sign_ins_total${WHERE}`, '1h'),
          '{{codase_outcome}}': grown(`codase_sign_in_apps_outcomes_total${WHERE}`, '1h', 'codase_outcome'),
        }),
        line('Plugins of sign-in apps freed in an hour', 'short', 'By a worker: a change was interrupted, or a database was restored.', {
          freed: grown(`codase_sign_in_apps_plugins_freed_total${WHERE}`, '1h'),
          'held again': grown(`codase_sign_in_apps_plugins_held_again_total${WHERE}`, '1h'),
        }),
      ],
    },
    {
      title: 'Documents and seals',
      panels: [
        line('Documents in an hour', 'short', 'Issued by services, and what recipients did with them.', {
          issued: grown(`codase_documents_created_total${WHERE}`, '1h'),
          '{{codase_outcome}}': grown(`codase_documents_acts_total${WHERE}`, '1h', 'codase_outcome'),
        }),
        line('Seals in an hour', 'short', 'Refused: the PDF cannot be sealed. Failed: nobody can sign; from 1 on an alert comes.', {
          '{{codase_outcome}}': grown(`codase_seals_made_total${WHERE}`, '1h', 'codase_outcome'),
        }),
        line('Time to seal, 99 of 100', 's', 'To read the PDF, draw the Signatures page, sign, and have it stamped.', {
          '{{app}}': p99('codase_seals_duration_seconds', 'app'),
        }),
        line('Certificate of seals is valid for', 's', 'By region. In the last 30 days an alert comes.', {
          '{{app}}': `min by (app) (codase_seals_certificate_left_seconds${WHERE})`,
        }),
      ],
    },
    {
      title: 'Contract flows',
      panels: [
        line('Versions published in an hour', 'short', 'By authors at the portal.', {
          published: grown(`codase_flows_published_total${WHERE}`, '1h'),
        }),
        line('Drafts judged in an hour', 'short', 'To validate, play or publish them, and what was found.', {
          '{{codase_outcome}}': grown(`codase_flows_validated_total${WHERE}`, '1h', 'codase_outcome'),
        }),
      ],
    },
    {
      title: 'Runs of contract flows',
      panels: [
        line('Open runs', 'short', 'By what they wait for.', {
          '{{codase_state}}': `sum by (codase_state) (max by (app, codase_state) (codase_flow_runs_open${WHERE}))`,
        }),
        line('Runs in an hour', 'short', 'Started, and how they ended.', {
          started: grown(`codase_flow_runs_started_total${WHERE}`, '1h'),
          '{{codase_outcome}}': grown(`codase_flow_runs_ended_total${WHERE}`, '1h', 'codase_outcome'),
        }),
        line('Turns in an hour', 'short', 'By where they led.', {
          '{{codase_outcome}}': grown(`codase_flow_runs_turns_total${WHERE}`, '1h', 'codase_outcome'),
        }),
        line('Generations in an hour', 'short', 'Of the documents of runs. A failed one is repeated, or the run is cancelled.', {
          '{{codase_outcome}}': grown(`codase_flow_runs_generated_total${WHERE}`, '1h', 'codase_outcome'),
        }),
        line('Time to generate, 99 of 100', 's', 'To choose the rules, fill the PDFs, and store a copy for every participant.', {
          '{{app}}': p99('codase_flow_runs_generation_duration_seconds', 'app'),
        }),
      ],
    },
    {
      title: 'Messages and connect requests',
      panels: [
        line('Messages in an hour', 'short', 'By who wrote them.', {
          'of services': grown(`codase_messages_sent_total${WHERE}`, '1h'),
          'of customers': grown(`codase_messages_received_total${WHERE}`, '1h'),
        }),
        line('Connect requests in an hour', 'short', 'Asked by services, and how persons answered.', {
          requested: grown(`codase_connect_requests_asked_total${WHERE}`, '1h'),
          '{{codase_outcome}}': grown(`codase_connect_requests_answered_total${WHERE}`, '1h', 'codase_outcome'),
        }),
        line(
          'Deleted by their age in an hour',
          'short',
          'Messages and connect requests that are kept no longer; contracts whose last day came.',
          {
            messages: grown(`codase_messages_expired_total${WHERE}`, '1h'),
            'connect requests': grown(`codase_connect_requests_expired_total${WHERE}`, '1h'),
            contracts: grown(`codase_documents_ended_total${WHERE}`, '1h'),
          },
        ),
        line('Changes of delegates in an hour', 'short', 'Added, removed, left, granted, revoked, and keys that were first read.', {
          '{{codase_outcome}}': grown(`codase_delegates_changes_total${WHERE}`, '1h', 'codase_outcome'),
        }),
        line('PDFs verified in an hour', 'short', 'At the front door, by anyone, and what was found.', {
          '{{codase_outcome}}': grown(`codase_seals_verified_total${WHERE}`, '1h', 'codase_outcome'),
        }),
      ],
    },
    {
      title: 'Plugins',
      panels: [
        line('Calls of plugins in an hour', 'short', 'At the forwarder, by how they ended: answered, or the key of the refusal.', {
          '{{codase_outcome}}': grown(`codase_plugin_call_duration_seconds_count${WHERE}`, '1h', 'codase_outcome'),
        }),
        line('Time of a plugin call, 99 of 100', 's', 'From the question to the reply, by how it ended.', {
          '{{codase_outcome}}': p99('codase_plugin_call_duration_seconds', 'codase_outcome'),
        }),
      ],
    },
    {
      title: 'Files in an object store',
      panels: [
        line('Objects', 'short', 'By state. Of deleted files they stay for FILE_DELETE_AFTER_DAYS; uploads are over in seconds.', {
          '{{app}} {{codase_state}}': `max by (app, codase_state) (codase_files_objects${WHERE})`,
        }),
        line('Files whose object is missing', 'short', 'Reads of them are 503 until it is back in the bucket. From 1 on an alert comes.', {
          '{{app}}': `max by (app) (codase_files_objects_missing${WHERE})`,
        }),
        line('Given up, deleted, corrupt in an hour', 'short', 'Given up: uploads that never ended, and objects without a row.', {
          'given up': grown(`codase_files_objects_orphaned_total${WHERE}`, '1h'),
          deleted: grown(`codase_files_objects_deleted_total${WHERE}`, '1h'),
          'corrupt when read': grown(`codase_files_corrupt_total${WHERE}`, '1h'),
        }),
        line('Bytes to and from the store per second', 'Bps', 'By operation.', {
          '{{codase_operation}}': rate('codase_files_store_bytes_total', 'codase_operation'),
        }),
      ],
    },
  ],
};

import type { Board, Panel } from './board.ts';

const WHERE = '{namespace=~"$namespace",app=~"$app"}';
const FAULTS = '{namespace=~"$namespace",app=~"$app",http_response_status_code=~"5.."}';
const IN = '{namespace=~"$namespace"}';
const rate = (series: string, by = '') => `sum${by && ` by (${by})`} (rate(${series}${WHERE}[$__rate_interval]))`;
/** The comparison with 0 leaves out series without a measurement in the interval, which would be NaN. */
const quantile = (share: number, histogram: string, by = '') =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${histogram}_bucket${WHERE}[$__rate_interval]))) >= 0`;
const p99 = (histogram: string, by: string) => quantile(0.99, histogram, by);
/** How much counters grew. A series that is new in this time counts in full: `increase` alone does not see its first count. */
const grown = (series: string, during: string, by = '') =>
  `sum${by && ` by (${by})`} ((${series} unless ${series} offset ${during}) or increase(${series}[${during}]))`;
const GROUP = 'messaging_consumer_group_name';
/**
 * Sums by group. The bus counts by consumer, and a group has one consumer for each partition, so the partition is cut off its name, as
 * other panels write it.
 */
const byGroup = (byConsumer: string) => `sum by (group) (label_replace(${byConsumer}, "group", "$1", "${GROUP}", "(.*?)(_p[0-9]+)?"))`;
const either = (expression: string) => `${expression} or vector(0)`;

const FAILURES = [
  'cds_unexpected_total',
  'cds_bus_parked_total',
  'cds_feed_unreadable_total',
  'cds_client_failed_total',
  'cds_feed_drains_failed_total',
  'cds_feed_publish_failed_total',
  'cds_decryptor_refused_total',
  'cds_twofa_consumed_without_record_total',
];

/** The five numbers, as the page of `npm start` has them. */
const FIVE: readonly Panel[] = [
  {
    title: 'Services not ready',
    says: 'Replicas whose readiness check fails. /readyz of each says why, in a sentence.',
    unit: 'short',
    shows: { 'not ready': either(`count (cds_ready${IN} == 0)`) },
    badFrom: 1,
  },
  {
    title: 'Events handled in 5 minutes',
    says: 'Of those that came in. Where events come in and none is handled, look at what waits.',
    unit: 'short',
    shows: {
      handled: either(grown(`cds_client_handled_total${IN}`, '5m')),
      'came in': either(grown(`cds_feed_received_total${IN}`, '5m')),
    },
    badFrom: Number.MAX_SAFE_INTEGER,
  },
  {
    title: 'Longest wait',
    says: 'The oldest event that waits: for a webhook at the platform, to be published, or for a handler.',
    unit: 's',
    shows: {
      'longest wait': either(
        `max ({__name__=~"cds_webhook_backlog_age_seconds|cds_feed_spool_age_seconds|cds_client_backlog_age",namespace=~"$namespace"})`,
      ),
    },
    badFrom: 60,
  },
  {
    title: 'From edit to handler',
    says: 'Age of 99 of 100 events when the handler of the company takes them.',
    unit: 's',
    shows: { p99: either(`histogram_quantile(0.99, sum by (le) (rate(cds_client_lag_bucket${IN}[5m]))) >= 0`) },
    badFrom: 60,
  },
  {
    title: 'Gone wrong in 15 minutes',
    says: 'What needs a person: errors, parked events, failed handlers and drains, values not opened. The alerts name which.',
    unit: 'short',
    // One expression for each series: Prometheus takes no increase of several names at once.
    shows: { 'gone wrong': FAILURES.map((series) => `(${either(grown(`${series}${IN}`, '15m'))})`).join(' + ') },
    badFrom: 1,
  },
];

const line = (title: string, unit: string, says: string, shows: Record<string, string>): Panel => ({ title, unit, says, shows });

const SUITE: Board = {
  uid: 'cds-suite',
  title: 'Suite: is everything flowing?',
  rows: [
    {
      title: 'Is everything flowing?',
      panels: [
        line('Events per second', 'cps', 'Received from the platform, on the stream, handled: the three run together.', {
          received: rate('cds_feed_received_total'),
          published: rate('cds_feed_published_total'),
          handled: rate('cds_client_handled_total'),
        }),
        line('Drains per second', 'cps', 'A drain that fails is repeated; the error key says why.', {
          made: rate('cds_feed_drains_total'),
          'failed: {{cds_error_key}}': rate('cds_feed_drains_failed_total', 'cds_error_key'),
        }),
        line('Values opened per second', 'ops', 'By the decryptor; refused ones by error key.', {
          opened: rate('cds_decryptor_opened_total'),
          'refused: {{cds_error_key}}': rate('cds_decryptor_refused_total', 'cds_error_key'),
        }),
        line('Logins per second', 'ops', 'Challenges raised, and outcomes by their kind.', {
          raised: rate('cds_twofa_raised_total'),
          '{{cds_outcome}}': rate('cds_twofa_outcomes_total', 'cds_outcome'),
        }),
        line('Turns of flows per second', 'ops', 'Answered by services, rules and people; refused because they did not fit; parked.', {
          'answered: {{cds_outcome}}': rate('cds_flows_answered_total', 'cds_outcome'),
          'did not fit': rate('cds_flows_answers_invalid_total'),
          'parked: {{cds_error_key}}': rate('cds_flows_parked_total', 'cds_error_key'),
        }),
        line('Documents per second', 'ops', 'Sent and fetched by services of the company, by outcome. Nothing is ever unverified.', {
          'sent: {{cds_outcome}}': rate('cds_client_documents_sent_total', 'cds_outcome'),
          'fetched: {{cds_outcome}}': rate('cds_client_documents_downloaded_total', 'cds_outcome'),
        }),
      ],
    },
    {
      title: 'Where does it wait?',
      panels: [
        line('Oldest that waits', 's', 'Stored and not published; on the stream and not handled.', {
          'to be published': `max (cds_feed_spool_age_seconds${WHERE})`,
          'for {{messaging_consumer_group_name}}': `max by (messaging_consumer_group_name) (cds_client_backlog_age${WHERE})`,
        }),
        line(
          'Bytes that wait to be published',
          'bytes',
          'By service. At the limit, SPOOL_MAX_BYTES, nothing more of it is taken: the platform keeps it. An alert comes at 75 %.',
          {
            '{{cds_service}}': `max by (cds_service) (cds_feed_spool_size_bytes${WHERE})`,
            limit: `min (cds_feed_spool_limit_bytes${WHERE})`,
          },
        ),
        line('Events that no handler has acknowledged', 'short', 'Of each group, also of one that does not run.', {
          '{{messaging_consumer_group_name}}': `max by (messaging_consumer_group_name) (cds_feed_group_pending${WHERE})`,
        }),
        line('How full the stream is', 'percentunit', 'At 1 nothing more is published, and events wait in the spool.', {
          stream: `max (cds_feed_stream_size_bytes${WHERE}) / max (cds_feed_stream_limit_bytes${WHERE})`,
        }),
        line('Requests that wait at the gateway', 'short', 'For their turn below the limits of the platform.', {
          '{{pod}}': `sum by (pod) (cds_gateway_queue${WHERE})`,
        }),
        line('Values in hand at the decryptor', 'short', 'At the limit it refuses more: add replicas.', {
          '{{pod}}': `sum by (pod) (cds_decryptor_queue${WHERE})`,
          limit: `max (cds_decryptor_queue_limit${WHERE})`,
        }),
        line('Runs of flows', 'short', "Where they are: watched is another party's turn. A parked one waits for an operator.", {
          '{{cds_state}}': `max by (cds_state) (cds_flows_turns${WHERE})`,
        }),
        line('Oldest turn of the company', 's', 'Since when a step waits that nobody has answered.', {
          oldest: `max (cds_flows_turn_age_seconds${WHERE})`,
        }),
        line('Logins without an outcome', 'short', 'Challenges that a person has not answered yet.', {
          pending: `max (cds_twofa_pending${WHERE})`,
        }),
      ],
    },
    {
      title: 'Do handlers share the work well?',
      panels: [
        line(
          'Batches that were split in an hour',
          'short',
          'By group. Something of a batch failed, so it was rolled back and each event handled again, alone. A few are no concern. ' +
            'Where it goes on for an hour, work is done twice: cds_client_failed_total says by error_type which handlers fail. Where ' +
            'neither cds_bus_retried_total nor cds_bus_postponed_total grows, events fail together that succeed alone: give the group ' +
            'batch: 1.',
          { '{{group}}': byGroup(grown(`cds_bus_handle_split_total${WHERE}`, '1h', GROUP)) },
        ),
        line(
          'Partitions left to another replica per second',
          'cps',
          'By group. A replica handed its events back because another had older ones. That is how replicas share partitions: it is ' +
            'usual after a replica starts, and rare otherwise. It is a concern where the oldest event of the group grows older ' +
            'meanwhile: then a replica keeps events that it does not handle.',
          { '{{group}}': byGroup(rate('cds_bus_stepped_aside_total', GROUP)) },
        ),
        line(
          'Questions about unacked events without an answer per second',
          'cps',
          'By group. Before each batch of events the server is asked what is unacked. While it does not say, events wait: some are usual ' +
            'where a server of the bus restarts. Where it goes on, see that the stream FEED has a leader, and that the service may ask.',
          { '{{group}}': byGroup(rate('cds_bus_consumer_info_failed_total', GROUP)) },
        ),
      ],
    },
    {
      title: 'Who is slow?',
      panels: [
        line('Time to answer on the bus, 99 of 100', 's', 'By subject.', {
          '{{messaging_destination_template}}': p99('cds_bus_answer_duration_seconds', 'messaging_destination_template'),
        }),
        line('Time to handle an event, 99 of 100', 's', 'Of internal consumers, by group.', {
          '{{messaging_consumer_group_name}}': p99('cds_bus_handle_duration_seconds', 'messaging_consumer_group_name'),
        }),
        line('Calls to the platform, 99 of 100', 's', 'As the gateway sees them.', {
          '{{http_route}}': p99('http_client_request_duration_seconds', 'http_route'),
        }),
        line('Time to answer a turn, half and 99 of 100', 's', 'From when a turn of the company began to its answer at the platform.', {
          half: quantile(0.5, 'cds_flows_turn_duration_seconds'),
          '99 of 100': quantile(0.99, 'cds_flows_turn_duration_seconds'),
        }),
        line(
          'Questions to plugins in an hour',
          'short',
          'In turns of the company, by how they ended: answered, or the key of the refusal.',
          {
            '{{cds_outcome}}': grown(`cds_flows_plugin_duration_seconds_count${WHERE}`, '1h', 'cds_outcome'),
          },
        ),
        line('Time to open a value, 99 of 100', 's', 'In the decryptor.', { '{{app}}': p99('cds_decryptor_open_duration_seconds', 'app') }),
      ],
    },
  ],
};

const rateOf = (which: string) => `sum by (app) (rate(http_server_request_duration_seconds_count${which}[$__rate_interval]))`;

const PLATFORM: Board = {
  uid: 'cds-platform',
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
          '{{cds_limit}}': rate('cds_rate_limited_total', 'cds_limit'),
          'connections: {{cds_limit}}': rate('cds_http_connections_closed_total', 'cds_limit'),
          overloaded: rate('cds_http_overloaded_total'),
        }),
      ],
    },
    {
      title: 'Events on their way out',
      panels: [
        line('Oldest event that waits for a webhook', 's', 'By region. After 7 days it is lost.', {
          '{{cds_region}}': `max by (cds_region) (cds_webhook_backlog_age_seconds${WHERE})`,
        }),
        line('Deliveries to webhooks, 99 of 100', 's', 'Time until the receiver answered.', {
          delivery: p99('cds_webhook_delivery_duration_seconds', 'app'),
        }),
        line('Drained per second', 'cps', 'Events that left the pull feed, and drains that were cut off.', {
          drained: rate('cds_feed_drained_total'),
          'cut off': rate('cds_feed_cut_total'),
        }),
        line(
          'Lost for good in an hour',
          'short',
          'Events for webhooks that waited too long, mails given up, changes that another region refused.',
          {
            events: grown(`cds_webhook_purged_total${WHERE}`, '1h'),
            mails: grown(`cds_mail_given_up_total${WHERE}`, '1h'),
            slots: grown(`cds_slot_changes_given_up_total${WHERE}`, '1h'),
          },
        ),
      ],
    },
    {
      title: 'Persons and logins',
      panels: [
        line('Tokens issued per second', 'ops', 'Access tokens, for clients and persons.', { tokens: rate('cds_tokens_issued_total') }),
        line('Challenges that wait', 'short', 'For an answer of a person.', {
          pending: `sum (max by (app) (cds_challenges_pending${WHERE}))`,
        }),
        line('Open streams of phones', 'short', 'Server-sent events.', { '{{app}}': `sum by (app) (cds_http_streams${WHERE})` }),
        line('Sessions ended in an hour', 'short', 'By persons and operators.', { ended: grown(`cds_sessions_ended_total${IN}`, '1h') }),
      ],
    },
    {
      title: 'Documents and seals',
      panels: [
        line('Documents in an hour', 'short', 'Issued by services, and what recipients did with them.', {
          issued: grown(`cds_documents_created_total${WHERE}`, '1h'),
          '{{cds_outcome}}': grown(`cds_documents_acts_total${WHERE}`, '1h', 'cds_outcome'),
        }),
        line('Seals in an hour', 'short', 'Refused: the PDF cannot be sealed. Failed: nobody can sign; from 1 on an alert comes.', {
          '{{cds_outcome}}': grown(`cds_seals_made_total${WHERE}`, '1h', 'cds_outcome'),
        }),
        line('Time to seal, 99 of 100', 's', 'To read the PDF, draw the Signatures page, sign, and have it stamped.', {
          '{{app}}': p99('cds_seals_duration_seconds', 'app'),
        }),
        line('Certificate of seals is valid for', 's', 'By region. In the last 30 days an alert comes.', {
          '{{app}}': `min by (app) (cds_seals_certificate_left_seconds${WHERE})`,
        }),
      ],
    },
    {
      title: 'Contract flows',
      panels: [
        line('Versions published in an hour', 'short', 'By authors at the portal.', {
          published: grown(`cds_flows_published_total${WHERE}`, '1h'),
        }),
        line('Drafts judged in an hour', 'short', 'To validate, play or publish them, and what was found.', {
          '{{cds_outcome}}': grown(`cds_flows_validated_total${WHERE}`, '1h', 'cds_outcome'),
        }),
      ],
    },
    {
      title: 'Runs of contract flows',
      panels: [
        line('Open runs', 'short', 'By what they wait for.', {
          '{{cds_state}}': `sum by (cds_state) (max by (app, cds_state) (cds_flow_runs_open${WHERE}))`,
        }),
        line('Runs in an hour', 'short', 'Started, and how they ended.', {
          started: grown(`cds_flow_runs_started_total${WHERE}`, '1h'),
          '{{cds_outcome}}': grown(`cds_flow_runs_ended_total${WHERE}`, '1h', 'cds_outcome'),
        }),
        line('Turns in an hour', 'short', 'By where they led.', {
          '{{cds_outcome}}': grown(`cds_flow_runs_turns_total${WHERE}`, '1h', 'cds_outcome'),
        }),
      ],
    },
    {
      title: 'Messages and connect requests',
      panels: [
        line('Messages in an hour', 'short', 'By who wrote them.', {
          'of services': grown(`cds_messages_sent_total${WHERE}`, '1h'),
          'of customers': grown(`cds_messages_received_total${WHERE}`, '1h'),
        }),
        line('Connect requests in an hour', 'short', 'Asked by services, and how persons answered.', {
          asked: grown(`cds_connect_requests_asked_total${WHERE}`, '1h'),
          '{{cds_outcome}}': grown(`cds_connect_requests_answered_total${WHERE}`, '1h', 'cds_outcome'),
        }),
        line(
          'Deleted by their age in an hour',
          'short',
          'Messages and connect requests that are kept no longer; contracts whose last day came.',
          {
            messages: grown(`cds_messages_expired_total${WHERE}`, '1h'),
            'connect requests': grown(`cds_connect_requests_expired_total${WHERE}`, '1h'),
            contracts: grown(`cds_documents_ended_total${WHERE}`, '1h'),
          },
        ),
        line('PDFs verified in an hour', 'short', 'At the front door, by anyone, and what was found.', {
          '{{cds_outcome}}': grown(`cds_seals_verified_total${WHERE}`, '1h', 'cds_outcome'),
        }),
      ],
    },
    {
      title: 'Plugins',
      panels: [
        line('Calls of plugins in an hour', 'short', 'At the forwarder, by how they ended: answered, or the key of the refusal.', {
          '{{cds_outcome}}': grown(`cds_plugin_call_duration_seconds_count${WHERE}`, '1h', 'cds_outcome'),
        }),
        line('Time of a plugin call, 99 of 100', 's', 'From the question to the reply, by how it ended.', {
          '{{cds_outcome}}': p99('cds_plugin_call_duration_seconds', 'cds_outcome'),
        }),
      ],
    },
    {
      title: 'Files in an object store',
      panels: [
        line('Objects', 'short', 'By state. Of deleted files they stay for FILE_DELETE_AFTER_DAYS; uploads are over in seconds.', {
          '{{app}} {{cds_state}}': `max by (app, cds_state) (cds_files_objects${WHERE})`,
        }),
        line('Files whose object is missing', 'short', 'Reads of them are 503 until it is back in the bucket. From 1 on an alert comes.', {
          '{{app}}': `max by (app) (cds_files_objects_missing${WHERE})`,
        }),
        line('Given up, deleted, corrupt in an hour', 'short', 'Given up: uploads that never ended, and objects without a row.', {
          'given up': grown(`cds_files_objects_orphaned_total${WHERE}`, '1h'),
          deleted: grown(`cds_files_objects_deleted_total${WHERE}`, '1h'),
          'corrupt when read': grown(`cds_files_corrupt_total${WHERE}`, '1h'),
        }),
        line('Bytes to and from the store per second', 'Bps', 'By operation.', {
          '{{cds_operation}}': rate('cds_files_store_bytes_total', 'cds_operation'),
        }),
      ],
    },
  ],
};

const SERVICE: Board = {
  uid: 'cds-service',
  title: 'One service in detail',
  rows: [
    {
      title: 'The process',
      panels: [
        line('Ready', 'short', '1 is ready.', { '{{pod}}': `cds_ready${WHERE}` }),
        line('Delay of the event loop, 99 of 100', 's', 'Above 100 ms callers wait for the processor.', {
          '{{pod}}': `nodejs_eventloop_delay_p99_seconds${WHERE}`,
        }),
        line('Event loop busy', 'percentunit', 'Near 1 a replica can do no more.', { '{{pod}}': `nodejs_eventloop_utilization${WHERE}` }),
        line('Memory', 'bytes', 'Resident, and heap in use.', {
          'resident {{pod}}': `process_memory_usage_bytes${WHERE}`,
          'heap {{pod}}': `v8js_memory_heap_used_bytes${WHERE}`,
        }),
        line('Garbage collection', 'percentunit', 'Share of the time, by kind.', {
          '{{v8js_gc_type}}': rate('v8js_gc_duration_seconds_sum', 'v8js_gc_type'),
        }),
      ],
    },
    {
      title: 'What it stands on',
      panels: [
        line('Connections to Postgres', 'short', 'In use against the limit.', {
          '{{pod}}': `sum by (pod) (cds_db_pool_connections${WHERE})`,
          limit: `max (cds_db_pool_limit${WHERE})`,
        }),
        line('Requests that wait for a connection', 'short', 'More than none for long: the pool is too small or a statement too slow.', {
          '{{pod}}': `sum by (pod) (cds_db_pool_waiting${WHERE})`,
        }),
        line('Reconnected and retried in an hour', 'short', 'To NATS and Postgres.', {
          reconnected: grown(`cds_bus_reconnected_total${WHERE}`, '1h', 'pod'),
          retried: grown(`cds_connect_retried_total${WHERE}`, '1h', 'pod'),
        }),
        line('Leases held', 'short', 'Shards of work, by replica: they add up to all.', {
          '{{pod}}': `sum by (pod) (cds_leases_held${WHERE})`,
        }),
        line('Background rounds that failed', 'ops', 'By what they do.', { '{{cds_check}}': rate('cds_rounds_failed_total', 'cds_check') }),
      ],
    },
  ],
};

/** For a person who has never seen the system: five numbers that say whether it is well. */
const WELL: Board = { uid: 'cds-well', title: 'Is it well?', rows: [{ title: 'Five numbers', panels: FIVE }] };

export const BOARDS: readonly Board[] = [WELL, SUITE, PLATFORM, SERVICE];

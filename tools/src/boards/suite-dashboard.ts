import type { DashboardPlan } from './dashboard.ts';
import { anyOf, BACKLOG_AGE, grown, halfAndP99, highest, hourly, line, OUTCOME, p99s, rate, rates, sums, WHERE } from './queries.ts';

const GROUP = 'messaging_consumer_group_name';
/** Sums by group. The bus counts by consumer, of which a group has one for each partition, so the partition is cut off. */
const byGroup = (byConsumer: string) => `sum by (group) (label_replace(${byConsumer}, "group", "$1", "${GROUP}", "(.*?)(_p[0-9]+)?"))`;

export const SUITE: DashboardPlan = {
  uid: 'codase-suite',
  title: 'Suite: is everything flowing?',
  rows: {
    'Is everything flowing?': [
      rates('Events per second', 'cps', 'Received from the platform, on the stream, handled: the three run together.', {
        received: 'codase_feed_received_total',
        published: 'codase_feed_published_total',
        handled: 'codase_client_handled_total',
      }),
      rates('Drains per second', 'cps', 'A drain that fails is repeated; the error key says why.', {
        made: 'codase_feed_drains_total',
        'failed: {{codase_error_key}}': 'codase_feed_drains_failed_total',
      }),
      rates('Values opened per second', 'ops', 'By the decryptor; refused ones by error key.', {
        opened: 'codase_decryptor_opened_total',
        'refused: {{codase_error_key}}': 'codase_decryptor_refused_total',
      }),
      rates('Logins per second', 'ops', 'Challenges raised, and outcomes by their kind.', {
        raised: 'codase_twofa_raised_total',
        [OUTCOME]: 'codase_twofa_outcomes_total',
      }),
      rates('Turns of flows per second', 'ops', 'Answered by services, rules and people; refused because they did not fit; parked.', {
        'answered: {{codase_outcome}}': 'codase_flows_answered_total',
        'did not fit': 'codase_flows_answers_invalid_total',
        'parked: {{codase_error_key}}': 'codase_flows_parked_total',
      }),
      rates(
        'Documents per second',
        'ops',
        'Sent and fetched by services of the company, and what these did with documents of runs, by outcome. Nothing is ever unverified.',
        {
          'sent: {{codase_outcome}}': 'codase_client_documents_sent_total',
          'fetched: {{codase_outcome}}': 'codase_client_documents_downloaded_total',
          'of runs: {{codase_outcome}}': 'codase_client_flows_documents_total',
        },
      ),
      rates(
        'Keys checked per second',
        'ops',
        'Keys of readers that were looked for in the transparency log before something was sealed to them. None is ever not_logged.',
        { [OUTCOME]: 'codase_client_keys_checked_total' },
      ),
    ],
    'Where does it wait?': [
      line('Oldest that waits', 's', 'Stored and not published; on the stream and not handled.', {
        'to be published': `max (codase_feed_spool_age_seconds${WHERE})`,
        'for {{messaging_consumer_group_name}}': `max by (messaging_consumer_group_name) (${anyOf(BACKLOG_AGE, WHERE)})`,
      }),
      line(
        'Bytes that wait to be published',
        'bytes',
        'By service. At the limit, SPOOL_MAX_BYTES, nothing more of it is taken: the platform keeps it. An alert comes at 75 %.',
        {
          '{{codase_service}}': `max by (codase_service) (codase_feed_spool_size_bytes${WHERE})`,
          limit: `min (codase_feed_spool_limit_bytes${WHERE})`,
        },
      ),
      highest('Events that no handler has acknowledged', 'short', 'Of each group, also of one that does not run.', {
        '{{messaging_consumer_group_name}}': 'codase_feed_group_pending',
      }),
      line('How full the stream is', 'percentunit', 'At 1 nothing more is published, and events wait in the spool.', {
        stream: `max (codase_feed_stream_size_bytes${WHERE}) / max (codase_feed_stream_limit_bytes${WHERE})`,
      }),
      sums('Requests that wait at the gateway', 'short', 'For their turn below the limits of the platform.', {
        '{{pod}}': 'codase_gateway_queue',
      }),
      line('Values in hand at the decryptor', 'short', 'At the limit it refuses more: add replicas.', {
        '{{pod}}': `sum by (pod) (codase_decryptor_queue${WHERE})`,
        limit: `max (codase_decryptor_queue_limit${WHERE})`,
      }),
      highest(
        'Runs of flows',
        'short',
        'Where they are: in watched, another party acts; in generating, documents are made. A parked one waits for an operator.',
        { '{{codase_state}}': 'codase_flows_turns', 'failing again and again': 'codase_flows_turns_failing' },
      ),
      highest('Oldest turn of the company', 's', 'Since when a step waits that nobody has answered.', {
        oldest: 'codase_flows_turn_age_seconds',
      }),
      highest('Logins without an outcome', 'short', 'Challenges that a person has not answered yet.', { pending: 'codase_twofa_pending' }),
    ],
    'Do handlers share the work well?': [
      line(
        'Batches that were split in an hour',
        'short',
        'By group. Something of a batch failed, so it was rolled back and each event handled again, alone. A few are no concern. ' +
          'Where it goes on for an hour, work is done twice: codase_client_failed_total says by error_type which handlers fail. Where ' +
          'neither codase_bus_retried_total nor codase_bus_postponed_total grows, events fail together that succeed alone: give the ' +
          'group batch: 1.',
        { '{{group}}': byGroup(grown(`codase_bus_handle_split_total${WHERE}`, '1h', GROUP)) },
      ),
      line(
        'Partitions left to another replica per second',
        'cps',
        'By group. A replica handed its events back because another had older ones. That is how replicas share partitions: it is ' +
          'usual after a replica starts, and rare otherwise. It is a concern where the oldest event of the group grows older ' +
          'meanwhile: then a replica keeps events that it does not handle.',
        { '{{group}}': byGroup(rate('codase_bus_stepped_aside_total', GROUP)) },
      ),
      line(
        'Questions about unacked events without an answer per second',
        'cps',
        'By group. Before each batch of events the server is asked what is unacked. While it does not say, events wait: some are usual ' +
          'where a server of the bus restarts. Where it goes on, see that the stream FEED has a leader, and that the service may ask.',
        { '{{group}}': byGroup(rate('codase_bus_consumer_info_failed_total', GROUP)) },
      ),
    ],
    'Who is slow?': [
      p99s('Time to answer on the bus, 99 of 100', 'By subject.', {
        '{{messaging_destination_template}}': 'codase_bus_answer_duration_seconds',
      }),
      p99s('Time to handle an event, 99 of 100', 'Of internal consumers, by group.', {
        '{{messaging_consumer_group_name}}': 'codase_bus_handle_duration_seconds',
      }),
      p99s('Calls to the platform, 99 of 100', 'As the gateway sees them.', { '{{http_route}}': 'http_client_request_duration_seconds' }),
      halfAndP99(
        'Time to answer a turn, half and 99 of 100',
        'From when a turn of the company began to its answer at the platform.',
        'codase_flows_turn_duration_seconds',
      ),
      hourly('Questions to plugins in an hour', 'In turns of the company, by how they ended: answered, or the key of the refusal.', {
        [OUTCOME]: 'codase_flows_plugin_duration_seconds_count',
      }),
      hourly(
        'Generations of documents in an hour',
        'For runs in which the company answered the last step, by how they ended: generated, or the key of the refusal.',
        { [OUTCOME]: 'codase_flows_generation_duration_seconds_count' },
      ),
      halfAndP99(
        'Time to generate documents, half and 99 of 100',
        'With the files that participants gave for them.',
        'codase_flows_generation_duration_seconds',
      ),
      p99s('Time to open a value, 99 of 100', 'In the decryptor.', { '{{app}}': 'codase_decryptor_open_duration_seconds' }),
    ],
  },
};

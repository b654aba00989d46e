import type { Board } from './board.ts';
import { anyOf, BACKLOG_AGE, grown, line, p99, quantile, rate, WHERE } from './queries.ts';

const GROUP = 'messaging_consumer_group_name';
/**
 * Sums by group. The bus counts by consumer, and a group has one consumer for each partition, so the partition is cut off its name, as
 * other panels write it.
 */
const byGroup = (byConsumer: string) => `sum by (group) (label_replace(${byConsumer}, "group", "$1", "${GROUP}", "(.*?)(_p[0-9]+)?"))`;

export const SUITE: Board = {
  uid: 'codase-suite',
  title: 'Suite: is everything flowing?',
  rows: [
    {
      title: 'Is everything flowing?',
      panels: [
        line('Events per second', 'cps', 'Received from the platform, on the stream, handled: the three run together.', {
          received: rate('codase_feed_received_total'),
          published: rate('codase_feed_published_total'),
          handled: rate('codase_client_handled_total'),
        }),
        line('Drains per second', 'cps', 'A drain that fails is repeated; the error key says why.', {
          made: rate('codase_feed_drains_total'),
          'failed: {{codase_error_key}}': rate('codase_feed_drains_failed_total', 'codase_error_key'),
        }),
        line('Values opened per second', 'ops', 'By the decryptor; refused ones by error key.', {
          opened: rate('codase_decryptor_opened_total'),
          'refused: {{codase_error_key}}': rate('codase_decryptor_refused_total', 'codase_error_key'),
        }),
        line('Logins per second', 'ops', 'Challenges raised, and outcomes by their kind.', {
          raised: rate('codase_twofa_raised_total'),
          '{{codase_outcome}}': rate('codase_twofa_outcomes_total', 'codase_outcome'),
        }),
        line('Turns of flows per second', 'ops', 'Answered by services, rules and people; refused because they did not fit; parked.', {
          'answered: {{codase_outcome}}': rate('codase_flows_answered_total', 'codase_outcome'),
          'did not fit': rate('codase_flows_answers_invalid_total'),
          'parked: {{codase_error_key}}': rate('codase_flows_parked_total', 'codase_error_key'),
        }),
        line(
          'Documents per second',
          'ops',
          'Sent and fetched by services of the company, and what these did with documents of runs, by outcome. Nothing is ever unverified.',
          {
            'sent: {{codase_outcome}}': rate('codase_client_documents_sent_total', 'codase_outcome'),
            'fetched: {{codase_outcome}}': rate('codase_client_documents_downloaded_total', 'codase_outcome'),
            'of runs: {{codase_outcome}}': rate('codase_client_flows_documents_total', 'codase_outcome'),
          },
        ),
      ],
    },
    {
      title: 'Where does it wait?',
      panels: [
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
        line('Events that no handler has acknowledged', 'short', 'Of each group, also of one that does not run.', {
          '{{messaging_consumer_group_name}}': `max by (messaging_consumer_group_name) (codase_feed_group_pending${WHERE})`,
        }),
        line('How full the stream is', 'percentunit', 'At 1 nothing more is published, and events wait in the spool.', {
          stream: `max (codase_feed_stream_size_bytes${WHERE}) / max (codase_feed_stream_limit_bytes${WHERE})`,
        }),
        line('Requests that wait at the gateway', 'short', 'For their turn below the limits of the platform.', {
          '{{pod}}': `sum by (pod) (codase_gateway_queue${WHERE})`,
        }),
        line('Values in hand at the decryptor', 'short', 'At the limit it refuses more: add replicas.', {
          '{{pod}}': `sum by (pod) (codase_decryptor_queue${WHERE})`,
          limit: `max (codase_decryptor_queue_limit${WHERE})`,
        }),
        line(
          'Runs of flows',
          'short',
          'Where they are: in watched, another party acts; in generating, documents are made. A parked one waits for an operator.',
          {
            '{{codase_state}}': `max by (codase_state) (codase_flows_turns${WHERE})`,
            'failing again and again': `max (codase_flows_turns_failing${WHERE})`,
          },
        ),
        line('Oldest turn of the company', 's', 'Since when a step waits that nobody has answered.', {
          oldest: `max (codase_flows_turn_age_seconds${WHERE})`,
        }),
        line('Logins without an outcome', 'short', 'Challenges that a person has not answered yet.', {
          pending: `max (codase_twofa_pending${WHERE})`,
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
    },
    {
      title: 'Who is slow?',
      panels: [
        line('Time to answer on the bus, 99 of 100', 's', 'By subject.', {
          '{{messaging_destination_template}}': p99('codase_bus_answer_duration_seconds', 'messaging_destination_template'),
        }),
        line('Time to handle an event, 99 of 100', 's', 'Of internal consumers, by group.', {
          '{{messaging_consumer_group_name}}': p99('codase_bus_handle_duration_seconds', 'messaging_consumer_group_name'),
        }),
        line('Calls to the platform, 99 of 100', 's', 'As the gateway sees them.', {
          '{{http_route}}': p99('http_client_request_duration_seconds', 'http_route'),
        }),
        line('Time to answer a turn, half and 99 of 100', 's', 'From when a turn of the company began to its answer at the platform.', {
          half: quantile(0.5, 'codase_flows_turn_duration_seconds'),
          '99 of 100': quantile(0.99, 'codase_flows_turn_duration_seconds'),
        }),
        line(
          'Questions to plugins in an hour',
          'short',
          'In turns of the company, by how they ended: answered, or the key of the refusal.',
          {
            '{{codase_outcome}}': grown(`codase_flows_plugin_duration_seconds_count${WHERE}`, '1h', 'codase_outcome'),
          },
        ),
        line(
          'Generations of documents in an hour',
          'short',
          'For runs in which the company answered the last step, by how they ended: generated, or the key of the refusal.',
          {
            '{{codase_outcome}}': grown(`codase_flows_generation_duration_seconds_count${WHERE}`, '1h', 'codase_outcome'),
          },
        ),
        line('Time to generate documents, half and 99 of 100', 's', 'With the files that participants gave for them.', {
          half: quantile(0.5, 'codase_flows_generation_duration_seconds'),
          '99 of 100': quantile(0.99, 'codase_flows_generation_duration_seconds'),
        }),
        line('Time to open a value, 99 of 100', 's', 'In the decryptor.', {
          '{{app}}': p99('codase_decryptor_open_duration_seconds', 'app'),
        }),
      ],
    },
  ],
};

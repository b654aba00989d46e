import type { Board } from './board.ts';
import { anyOf, BACKLOG_AGE, grown, line, p99, quantile, rate, WHERE } from './queries.ts';

const GROUP = 'messaging_consumer_group_name';
/**
 * Sums by group. The bus counts by consumer, and a group has one consumer for each partition, so the partition is cut off its name, as
 * other panels write it.
 */
const byGroup = (byConsumer: string) => `sum by (group) (label_replace(${byConsumer}, "group", "$1", "${GROUP}", "(.*?)(_p[0-9]+)?"))`;

export const SUITE: Board = {
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
        line(
          'Documents per second',
          'ops',
          'Sent and fetched by services of the company, and what these did with documents of runs, by outcome. Nothing is ever unverified.',
          {
            'sent: {{cds_outcome}}': rate('cds_client_documents_sent_total', 'cds_outcome'),
            'fetched: {{cds_outcome}}': rate('cds_client_documents_downloaded_total', 'cds_outcome'),
            'of runs: {{cds_outcome}}': rate('cds_client_flows_documents_total', 'cds_outcome'),
          },
        ),
      ],
    },
    {
      title: 'Where does it wait?',
      panels: [
        line('Oldest that waits', 's', 'Stored and not published; on the stream and not handled.', {
          'to be published': `max (cds_feed_spool_age_seconds${WHERE})`,
          'for {{messaging_consumer_group_name}}': `max by (messaging_consumer_group_name) (${anyOf(BACKLOG_AGE, WHERE)})`,
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
        line(
          'Runs of flows',
          'short',
          'Where they are: in watched, another party acts; in generating, documents are made. A parked one waits for an operator.',
          {
            '{{cds_state}}': `max by (cds_state) (cds_flows_turns${WHERE})`,
            'failing again and again': `max (cds_flows_turns_failing${WHERE})`,
          },
        ),
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
        line(
          'Generations of documents in an hour',
          'short',
          'For runs in which the company answered the last step, by how they ended: generated, or the key of the refusal.',
          {
            '{{cds_outcome}}': grown(`cds_flows_generation_duration_seconds_count${WHERE}`, '1h', 'cds_outcome'),
          },
        ),
        line('Time to generate documents, half and 99 of 100', 's', 'With the files that participants gave for them.', {
          half: quantile(0.5, 'cds_flows_generation_duration_seconds'),
          '99 of 100': quantile(0.99, 'cds_flows_generation_duration_seconds'),
        }),
        line('Time to open a value, 99 of 100', 's', 'In the decryptor.', { '{{app}}': p99('cds_decryptor_open_duration_seconds', 'app') }),
      ],
    },
  ],
};

import { counter, gauge, histogram } from '@codase/runtime/metrics';

/** The metrics of flows, with the names that dashboards and alerts use. */
export const METRICS = {
  started: counter('codase.flows.started', '{run}', 'Runs that were started', { openLabels: ['codase.service'] }),
  startRetried: counter('codase.flows.start.retried', '{attempt}', 'Attempts to start a run that were repeated, with the same key'),
  turns: gauge('codase.flows.turns', '{turn}', "Runs that are followed, by where they are: watched is another party's turn", {
    openLabels: ['codase.state'],
  }),
  failing: gauge(
    'codase.flows.turns.failing',
    '{turn}',
    'Turns and generations that failed five times in a row, because something cannot be reached; they are tried again',
  ),
  oldestTurn: gauge('codase.flows.turn.age', 's', 'Age of the oldest turn that nobody has answered'),
  answerTime: histogram(
    'codase.flows.turn.duration',
    's',
    'Time from the beginning of a turn of the company to its answer at the platform',
    { boundaries: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800] },
  ),
  answered: counter('codase.flows.answered', '{turn}', 'Turns of the company that were answered, by whom: service, person or rule', {
    openLabels: ['codase.service', 'codase.outcome'],
  }),
  misfits: counter('codase.flows.answers.invalid', '{answer}', 'Answers that did not fit their step and were not sent', {
    openLabels: ['codase.service'],
  }),
  parked: counter('codase.flows.parked', '{turn}', 'Turns and generations of documents that cannot go on by themselves, by error key', {
    openLabels: ['codase.service', 'codase.error_key'],
  }),
  overdue: counter('codase.flows.overdue', '{turn}', 'Turns that were not answered in the time of their flow', {
    openLabels: ['codase.service'],
  }),
  checksFailed: counter(
    'codase.flows.looks.failed',
    '{look}',
    'Runs that could not be read or answered now, by error key; they are tried again',
    { openLabels: ['codase.service', 'codase.error_key'] },
  ),
  found: counter(
    'codase.flows.found',
    '{run}',
    'Runs that await the company or its documents and were found by the poll, because no event had announced them',
    { openLabels: ['codase.service'] },
  ),
  pluginCalls: histogram(
    'codase.flows.plugin.duration',
    's',
    'Time of a question to a plugin, by how it ended: answered, or the key of its refusal',
    { boundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] },
  ),
  pluginRetried: counter(
    'codase.flows.plugin.retried',
    '{attempt}',
    'Questions to plugins that were put again, since the forwarder or the plugin was busy',
  ),
  generations: histogram(
    'codase.flows.generation.duration',
    's',
    'Time to have the documents of a run generated, by how it ended: generated, or the key of the refusal',
    { boundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60, 300] },
  ),
  takersWaiting: gauge('codase.flows.takers.waiting', '{request}', 'Requests that wait for a turn in this process'),
};

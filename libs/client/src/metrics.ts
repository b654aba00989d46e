import { counter, gauge, histogram } from '@codase/runtime/metrics';

/** The metrics of the client, by the names that dashboards and alerts use. */
export const METRICS = {
  handledLag: histogram('codase.client.lag', 's', 'Age of an event when a handler of a company takes it', {
    boundaries: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 3600, 21_600, 86_400, 604_800],
  }),
  groupAge: gauge(
    'codase.client.backlog.age',
    's',
    'How long the oldest event has been on the stream that a group of handlers has in hand and has not handled',
  ),
  handled: counter('codase.client.handled', '{event}', 'Events that a handler of a company has handled', {
    openLabels: ['messaging.consumer.group.name', 'codase.service'],
  }),
  handledBefore: counter('codase.client.repeated', '{event}', 'Events that came again and changed nothing', {
    openLabels: ['messaging.consumer.group.name', 'codase.service'],
  }),
  handlingFailed: counter('codase.client.failed', '{event}', 'Tries of a handler of a company that failed, by the kind of error', {
    openLabels: ['messaging.consumer.group.name', 'codase.service', 'error.type'],
  }),
  challengeRetried: counter(
    'codase.client.challenge.retried',
    '{attempt}',
    'Attempts of a login to raise its challenge that were repeated, with the same key',
  ),
  challengeReadRetried: counter(
    'codase.client.challenge.read_retried',
    '{attempt}',
    'Reads of the outcome of a challenge that failed and were repeated',
  ),
  documentsSent: counter('codase.client.documents.sent', '{document}', 'Documents that a service of a company sent, by outcome', {
    openLabels: ['codase.service', 'codase.outcome'],
  }),
  documentsDownloaded: counter(
    'codase.client.documents.downloaded',
    '{document}',
    'Payloads of documents that a service of a company fetched, by outcome; an unverified one is no copy of a sealed contract',
    { openLabels: ['codase.service', 'codase.outcome'] },
  ),
  documentsRetried: counter(
    'codase.client.documents.retried',
    '{attempt}',
    'Attempts to send a document that were repeated, with the same key',
    { openLabels: ['codase.service'] },
  ),
  turnsHandled: counter(
    'codase.client.turns.handled',
    '{turn}',
    'Turns of flows that handlers got, by outcome: answered, invalid or failed',
    { openLabels: ['codase.service', 'codase.outcome'] },
  ),
  flowsRetried: counter(
    'codase.client.flows.retried',
    '{attempt}',
    'Attempts to start a run, to answer a turn or to sign a document of a run that were repeated',
  ),
  runDocumentActs: counter(
    'codase.client.flows.documents',
    '{document}',
    "Acts of a service on the company's copies of documents of runs, by outcome: signed, accepted, declined, refused or failed",
    { openLabels: ['codase.service', 'codase.outcome'] },
  ),
  keysChecked: counter(
    'codase.client.keys.checked',
    '{key}',
    'Keys of readers that were checked before something was sealed to them: logged, not_logged, waiting for the log, or unavailable',
    { openLabels: ['codase.service', 'codase.outcome'] },
  ),
  keyChecksRetried: counter('codase.client.keys.retried', '{attempt}', 'Checks of keys that were repeated until the log had the key'),
  openRequested: counter(
    'codase.client.opened',
    '{value}',
    'Values the client asked the decryptor for; those of the account are of the service `account`',
    { openLabels: ['codase.service'] },
  ),
};

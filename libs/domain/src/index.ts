export {
  CHALLENGE,
  CHALLENGE_OUTCOMES,
  type ChallengeEffect,
  type ChallengeOutcome,
  type ChallengeSignal,
  type ChallengeState,
} from './states/challenge.ts';
export {
  companyPut,
  DOCUMENT,
  DOCUMENT_STATUSES,
  signalOfCancellation,
  signalOfCreation,
  type DocumentEffect,
  type DocumentSignal,
  type DocumentStatus,
  type PutDocument,
  type PutRefusal,
} from './states/document-status.ts';
export { RUN_COPY, signalOfOpening, type CopyEffect, type CopySignal, type CopyStatus } from './states/run-copy.ts';
export {
  awaitedParty,
  awaiting,
  isOpenRun,
  phaseOf,
  RUN,
  type RunEffect,
  type RunPhase,
  type RunSignal,
  type RunStatus,
} from './states/run-status.ts';
export { linesOf, move, to, type Absent, type Move, type Table } from './states/table.ts';
export { signalOfAnswer, WEBHOOK_HEALTH, type WebhookEffect, type WebhookHealth, type WebhookSignal } from './states/webhook-health.ts';

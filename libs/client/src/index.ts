export { type ProviderKeys, type VerifiedValue } from './attestation.ts';
export { type ChallengeOptions, type ChallengeRequest, type LoginResult, type Raised } from './challenge.ts';
export { connect, type CodaseClient, type ConnectOptions, type Health } from './client.ts';
export { type FileToSend } from './document-body.ts';
export {
  type Documents,
  type DocumentToSend,
  type DownloadDocumentOptions,
  type DownloadedDocument,
  type ReplacedFile,
  type SendDocumentOptions,
} from './documents.ts';
export {
  type AnyFlow,
  type Flows,
  type FlowTypes,
  type LinkedField,
  type OnTurnOptions,
  type PluginField,
  type PluginFilling,
  type RunningTurns,
  type StartRunOptions,
  type Turn,
  type TurnHandlers,
} from './flows.ts';
export { FlowNames } from './flow-names.ts';
export { GatewayHttp, type TransferOptions, type Download, type GatewayAddress } from './gateway-http.ts';
export { type Group, type GroupOptions } from './group.ts';
export { type Handlers, type Handling, type Taken, type Together } from './handlers.ts';
export { type Inbox, type Noted } from './inbox.ts';
export { KeyLog, KeyNotLogged, publicKeySha256, readLogHead, type LogHead, type SeenHead } from '@codase/crypto';
export { KeyChecks, type KeyLogOptions } from './key-checks.ts';
export { type Addressed, type Messages, type SendOptions } from './messages.ts';
export { Opener, type OpenedItem } from './opener.ts';
export { ReaderKeys, type Reader, type ReaderByCode } from './reader-keys.ts';
export { type ActedCopy, type ActOptions, type RunDocument, type RunDocuments, type Signer } from './run-documents.ts';
export { type OpenedFile, type ServedFile } from './served-file.ts';
export { type FileAnswer } from './turn-files.ts';
export { INBOX_SQL, postgresInbox, type PostgresInboxOptions, type PostgresPool } from './postgres-inbox.ts';
export { UnverifiedDocument, type CopyFault } from './verify-copy.ts';

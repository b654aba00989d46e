export { Chromium, findChromium, type Accessible } from './chromium.ts';
export { collectTelemetry, forgetTelemetry } from './collected-telemetry.ts';
export { comesTrue, eventually } from './eventually.ts';
export { everyRow, everyTable } from './every-table.ts';
export { requiredVariable } from './required-variable.ts';
export { HttpFaultProxy, type HttpFault } from './http-fault-proxy.ts';
export { FaultProxy } from './fault-proxy.ts';
export { Marks } from './marks.ts';
export { everyStoredMessage, everyStream, BusRecorder } from './bus-recorder.ts';
export { SamplePlugin } from './sample-plugin.ts';
export { selfSignedCertificate } from './self-signed.ts';
export { TestBus } from './test-bus.ts';
export { testDatabase, type TestDatabase } from './test-database.ts';
export { elapsedMs } from './elapsed-ms.ts';
export { edgesOf, TraceReceiver, type SeenSpan } from '@codase/stack/trace-receiver';
export { WebhookReceiver, type Delivery } from './webhook-receiver.ts';
export { whenAvailable } from './when-available.ts';
export {
  Backend,
  Company,
  Device,
  customerSide,
  generates,
  ownerSide,
  Person,
  Photos,
  newSigningKey,
  publicKeyOf,
  sealedFor,
  signsJws,
  serviceSide,
  Stranger,
  User,
  VerificationProvider,
  type Answers,
  type CallOptions,
  type AuthoredFlow,
  type IssuedDocument,
  type Listening,
  type NewPhoto,
  type NewRequestRow,
  type NewSignInApp,
  type SignInAppOnce,
  type OwnConnection,
  type OwnPhoto,
  type OwnerSide,
  type RunSide,
  type SubmittedTurn,
  type UploadedCopy,
} from '@codase/actors';
export { pdfThatShows } from './pdf-that-shows.ts';
export { templatesOn, TestDatabases } from './world/databases.ts';
export type { Servers, WorldOptions } from './world/options.ts';
export { startArguments } from './world/service-process.ts';
export { World, type Database, type Duration } from './world/world.ts';
export { WorldFixture } from './world/world-fixture.ts';
export { writtenSince } from './write-ahead-log.ts';

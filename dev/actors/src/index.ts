/** People, companies and backends that act over the platform's public HTTP API, as a phone, the portal or a company's program does. */
export { Backend } from './backend.ts';
export type { Answers, OwnConnection } from './connections.ts';
export { Device } from './device.ts';
export { opened, type IssuedDocument } from './documents.ts';
export { sealedFor, type Onward } from './flow-runs.ts';
export { envelopeOf, generates } from './generation.ts';
export type { AuthoredFlow } from './flows.ts';
export { Photos, type NewPhoto, type OwnPhoto } from './photos.ts';
export { customerSide, ownerSide, serviceSide, type OwnerSide, type RunSide, type SubmittedTurn, type UploadedCopy } from './run-sides.ts';
export type { NewRequestRow } from './services.ts';
export type { NewSignInApp, SignInAppOnce } from './sign-in-apps.ts';
export type { Listening } from './listening.ts';
export { Stranger, type CallOptions } from './stranger.ts';
export { newSigningKey, publicKeyOf, signsJws, VerificationProvider, type Attesting, type SigningKey } from './verification-provider.ts';
export { Company, Person, User, type UserParts } from './user.ts';

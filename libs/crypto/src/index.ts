/** The main entry point: sealing, verifying, hashing and creating keys. Nothing here uses a private key; that is `@codase/crypto/open`. */
export { CryptoRefusal, type RefusalKind } from './refusal.ts';
export { importValuePublicKey, sealValue, type ValuePublicKey } from './value-wrapper.ts';
export { importAccountPublicKey, sealAccountEnvelope, type AccountPublicKey } from './account-envelope.ts';
export { takeApart, type ValueApart } from './take-apart.ts';
export { sealValueInPieces, takePiecesApart, type ValuePieces } from './value-pieces.ts';
export { isEnvelope } from './envelope-shape.ts';
export { createAccountKey, createServiceKey, type EncryptedPrivateKey, type ProtectedKey, type ServiceKey } from './service-key.ts';
export { publicKeySha256, readPublicKey } from './spki.ts';
export { createOneTimeKey, openBox, openBoxText, openDecodedBox, sealBox } from './one-time-box.ts';
export { isAttested, matchesSha256, sha256Hex, verifiedHash, type Attestation } from './digests.ts';
export {
  ATTESTATION_TYPE,
  fieldHash,
  PROVIDER_JWS_CHARS,
  verifyAttestation,
  verifyProviderJws,
  type AttestedValue,
  type ProviderKey,
  type SignedClaims,
} from './attestations.ts';
export { isKeyedHash, isWebhookSignature, keyedHash, signWebhook, signWebhookAt, webhookSignedAt } from './hmac.ts';
export { standardSecretBytes, verifyStandardWebhook, type StandardDelivery, type VerifiedDelivery } from './standard-webhooks.ts';
export { basicAuthorization, bearerAuthorization, equalSecrets } from './equal-secrets.ts';
export { KeyLog, keyCommitment, KeyNotLogged, type KeyLogFault, type KeyProof, type LoggedKey, type SeenHead } from './key-log.ts';
export { isExtended, isIncluded, merkleLeaf } from './merkle-proof.ts';
export { readLogHead, type HeadKey, type LogHead } from './log-head.ts';
export { randomBytes, randomCode, randomToken } from './random.ts';
export { newTotpSecret, totpCode, totpStep } from './totp.ts';
export type { Bytes } from './bytes.ts';

/** Bounds checked before any work. The specification names none of them. @gap D1-2.3 */

/** Most bytes one envelope or box holds: a document of 25 MB as a data URI inside its JSON, with room to spare. */
export const PLAINTEXT_BYTES = 64 * 1024 * 1024;
/** Longest serialized envelope: the base64 of `PLAINTEXT_BYTES`, with some space for JSON that escapes its slashes. */
export const ENVELOPE_CHARS = 96 * 1024 * 1024;
/** Longest passphrase, shared secret or header that carries one: as much as HTTP servers take in all headers. */
export const SECRET_CHARS = 16 * 1024;
/** Largest DER private key, clear or encrypted: an RSA-2048 key takes about 1,300 bytes. */
export const PRIVATE_KEY_BYTES = 4096;

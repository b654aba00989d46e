import { createHash } from 'node:crypto';
import { canonicalJson } from '@codase/contracts';

/** The digest by which a statement names a body, or a part of one. */
export const statedDigest = (part: unknown): string => createHash('sha256').update(canonicalJson(part)).digest('base64url');

import { sign, type KeyObject } from 'node:crypto';

/** ES256 signatures of texts, in their order. */
export const signTexts = (key: KeyObject, texts: readonly string[]): string[] =>
  texts.map((text) => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url'));

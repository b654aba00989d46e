import { sign, type KeyObject } from 'node:crypto';

/** Returns the ES256 signatures of texts, in the order of the texts. */
export const signTexts = (key: KeyObject, texts: readonly string[]): string[] =>
  texts.map((text) => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url'));

import { sign, type KeyObject } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

/** What the signing thread runs: texts in, their ES256 signatures out, in order. */
const key = workerData as KeyObject;

parentPort!.on('message', (texts: readonly string[]) =>
  parentPort!.postMessage(texts.map((text) => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url'))),
);

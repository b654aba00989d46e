import { parentPort } from 'node:worker_threads';
import { CryptoRefusal } from '@cds/crypto/open';
import { isAttestedAtOnce, openAccountEnvelopeAtOnce, openValueAtOnce, unwrapKeyAtOnce, type ThreadKey } from '@cds/crypto/threads';
import type { ToThread, ToOpenThere, OpenedThere } from './opening-thread.service.ts';

/** What an opening thread runs: sealed texts in, clear ones out, in order. */
const keys = new Map<number, ThreadKey>();

const HOW = { value: openValueAtOnce, wrapped_key: unwrapKeyAtOnce, envelope: openAccountEnvelopeAtOnce };

parentPort!.on('message', (message: ToThread) => {
  if ('add' in message) keys.set(message.add, message.key);
  else if ('remove' in message) keys.delete(message.remove);
  else parentPort!.postMessage(message.open.map(openOne));
});

function openOne([key, kind, text, verification]: ToOpenThere): OpenedThere {
  try {
    const plaintext = HOW[kind](keys.get(key)!, text);
    return verification ? [plaintext, isAttestedAtOnce(verification, plaintext)] : plaintext;
  } catch (error) {
    if (!(error instanceof CryptoRefusal)) throw error;
    return null;
  }
}

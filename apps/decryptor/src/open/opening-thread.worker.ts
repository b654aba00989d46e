import { parentPort } from 'node:worker_threads';
import { isAttestedAtOnce, openAllAtOnce, type ThreadKey } from '@codase/crypto/threads';
import type { FromThread, ToThread, ToOpenThere, OpenedThere } from './opening-thread.service.ts';

/** The keys of this thread, which takes sealed texts and posts their plaintexts in the same order. */
const keys = new Map<number, ThreadKey>();

parentPort!.on('message', (message: ToThread) => {
  if ('add' in message) keys.set(message.add, message.key);
  else if ('remove' in message) keys.delete(message.remove);
  else parentPort!.postMessage(timed(message.open));
});

function timed(sealed: readonly ToOpenThere[]): FromThread {
  const startedAt = performance.now();
  return { opened: openAll(sealed), ms: performance.now() - startedAt };
}

function openAll(sealed: readonly ToOpenThere[]): OpenedThere[] {
  const opened = openAllAtOnce(sealed.map(([key, kind, text]) => ({ key: keys.get(key)!, kind, text })));
  return opened.map((plaintext, nth) => {
    const verification = sealed[nth]![3];
    if (plaintext === undefined) return null;
    return verification ? [plaintext, isAttestedAtOnce(verification, plaintext)] : plaintext;
  });
}

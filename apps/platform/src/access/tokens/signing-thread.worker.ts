import type { KeyObject } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { signTexts } from './sign-texts.ts';

/** The code of the signing thread: takes texts and posts their signatures in the same order. */
parentPort!.on('message', (texts: readonly string[]) => parentPort!.postMessage(signTexts(workerData as KeyObject, texts)));

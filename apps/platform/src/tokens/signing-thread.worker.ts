import type { KeyObject } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { signTexts } from './sign-texts.ts';

/** What the signing thread runs: texts in, their signatures out, in order. */
parentPort!.on('message', (texts: readonly string[]) => parentPort!.postMessage(signTexts(workerData as KeyObject, texts)));

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '@codase/stack';
import type { IssuedDocument, Person } from '@codase/testing';
import { ANSWER_TIMEOUT_MS, untilAnswered } from '../until-answered.ts';
import type { ActsInHand } from './acts-in-hand.ts';

/** The contract that persons sign in soaks. */
export const CONTRACT = readFileSync(join(ROOT, 'libs/pdf/test/fixtures/producers/reportlab.pdf'));

const AGAIN_MS = 100;

/** Signs a contract, as often as needed. After a lost answer it first reads whether the signature took effect. */
export async function signContract(person: Person, contract: Pick<IssuedDocument, 'id'>, acts: ActsInHand): Promise<IssuedDocument> {
  for (const deadline = performance.now() + ANSWER_TIMEOUT_MS; ;) {
    try {
      return await acts.during(() => person.documents.signs(contract, CONTRACT));
    } catch (error) {
      acts.noteFailure(error);
      const found = await untilAnswered(() => person.documents.reads(contract));
      if (found.status === 'active') return found;
      if (performance.now() > deadline) throw error;
      await pause(AGAIN_MS);
    }
  }
}

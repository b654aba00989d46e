import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '@codase/stack';
import type { IssuedDocument, Person } from '@codase/testing';
import { inShort } from '../request-log.ts';
import { ANSWER_TIMEOUT_MS, untilAnswered } from '../until-answered.ts';

const CHECK_MS = 5;
const MAX_WAIT_MS = 4000;

/** Tracks which acts on documents are under way, so that faults strike in the middle of them. */
export class ActsInHand {
  /** The number of faults that struck while an act was under way. */
  struck = 0;
  /** How often each error of an act occurred. The act was then repeated. */
  private readonly failures = new Map<string, number>();
  private begun = 0;
  private underWay = 0;
  private usualMs = 200;

  get interrupted(): number {
    return [...this.failures.values()].reduce((total, times) => total + times, 0);
  }

  /** The errors of acts, the most frequent first. */
  get why(): string {
    const sorted = [...this.failures].sort(([, one], [, other]) => other - one);
    return sorted.map(([error, times]) => `${times} x ${error}`).join('; ') || 'nothing';
  }

  noteFailure(error: unknown): void {
    const how = inShort(error);
    this.failures.set(how, (this.failures.get(how) ?? 0) + 1);
  }

  async during<T>(act: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    this.begun += 1;
    this.underWay += 1;
    try {
      const result = await act();
      this.usualMs = (this.usualMs + performance.now() - startedAt) / 2;
      return result;
    } finally {
      this.underWay -= 1;
    }
  }

  /** Waits for a random moment of an act that begins from now on. */
  async middleOfOne(signal: AbortSignal): Promise<void> {
    const { begun } = this;
    const deadline = performance.now() + MAX_WAIT_MS;
    while (!signal.aborted && this.begun === begun && performance.now() < deadline) await pause(CHECK_MS);
    await pause(Math.random() * this.usualMs);
    if (this.underWay > 0) this.struck += 1;
  }
}

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

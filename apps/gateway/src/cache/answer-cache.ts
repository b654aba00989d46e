import { registry, type Endpoint } from '@codase/contracts';

/** How long answers are kept: a person's key is never replaced, and only an operator changes the registry. @spec D1-4.4 */
const KEPT = new Map<string, { seconds: number; most: number }>([
  [registry.readPublicKey.name, { seconds: 24 * 3600, most: 10_000 }],
  [registry.listFieldTypes.name, { seconds: 60, most: 1000 }],
]);

interface Kept {
  answer: unknown;
  until: number;
}

/** Answers that stay true for a while, kept for each client apart: an answer that one client may read, another may be refused. */
export class AnswerCache {
  private readonly answers = new Map<string, Map<string, Kept>>();

  find(client: string, { name }: Endpoint, request: unknown, now: Date): { answer: unknown } | undefined {
    const kept = this.answers.get(name)?.get(keyOf(client, request));
    return kept && now.getTime() < kept.until ? kept : undefined;
  }

  keep(client: string, { name }: Endpoint, request: unknown, answer: unknown, now: Date): void {
    const rule = KEPT.get(name);
    if (!rule) return;
    const kept = this.answers.get(name) ?? new Map<string, Kept>();
    const key = keyOf(client, request);
    kept.delete(key); // so that the entry becomes the newest
    kept.set(key, { answer, until: now.getTime() + rule.seconds * 1000 });
    if (kept.size > rule.most) kept.delete(kept.keys().next().value!);
    this.answers.set(name, kept);
  }
}

const keyOf = (client: string, request: unknown) => `${client} ${JSON.stringify(request)}`;

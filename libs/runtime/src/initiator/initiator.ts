import { AsyncLocalStorage } from 'node:async_hooks';
import { jsonIn, STATEMENT_CHARS } from '@codase/contracts';
import { z } from 'zod';
import type { Db } from '../db/sql.ts';

/** The header of a request on the bus that says on whose behalf it is made. */
export const INITIATOR_HEADER = 'codase-initiator';

const text = z.string().max(200).optional();
const Initiator = z.strictObject({
  user_id: text,
  client_id: text,
  address: text,
  /** What a device of the user has signed over the act. Whoever stores the act checks it. */
  statement: z.string().max(STATEMENT_CHARS).optional(),
});

/** On whose behalf work is done: the user, the user's client, and the address of the request, as far as each is known. */
export type Initiator = z.infer<typeof Initiator>;

const current = new AsyncLocalStorage<Initiator>();

/** The initiator of the work under way; undefined for work that a service does by itself. */
export const currentInitiator = (): Readonly<Initiator> | undefined => current.getStore();

/** Does work on behalf of an initiator, to which the work may add facts; requests that it makes on the bus carry the initiator along. */
export const onBehalfOf = <T>(initiator: Initiator, work: () => T): T => current.run(initiator, work);

/** Adds facts to the initiator of the work under way, for example after a token was checked. */
export function identifyInitiator({ user_id, client_id }: Pick<Initiator, 'user_id' | 'client_id'>): void {
  const initiator = current.getStore();
  if (!initiator) return;
  if (user_id !== undefined) initiator.user_id = user_id;
  if (client_id !== undefined) initiator.client_id = client_id;
}

/** The current initiator as a header of a request; undefined when there is none. */
export function initiatorHeader(): string | undefined {
  const initiator = currentInitiator();
  return initiator && JSON.stringify(initiator);
}

/** The initiator that a request names; undefined when it names none, or the header is not valid. */
export const readInitiator = (header: string | undefined): Initiator | undefined =>
  header ? Initiator.safeParse(jsonIn(header)).data : undefined;

/** What a device has signed over the act under way, once it was checked. */
export interface CheckedStatement {
  readonly text: string;
  /** Uses the statement up, in the transaction that stores the act. Refuses when another act was stored with it, or this one before. */
  use(tx: Db): Promise<void>;
  /** Refuses when the act names other files than the device has signed. A file has its id, and the digest of the answer to its readers. */
  checkFiles(files: Readonly<Record<string, string>>): void;
}

const stated = new AsyncLocalStorage<CheckedStatement | undefined>();

/** Does the work of an act over which a device has signed a statement that was checked: the audit rows of the work keep it. */
export const onStatement = <T>(statement: CheckedStatement | undefined, work: () => T): T => stated.run(statement, work);

/** The checked statement of the act under way; undefined when there is none. */
export const currentStatement = (): CheckedStatement | undefined => stated.getStore();

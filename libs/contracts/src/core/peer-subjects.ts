import type { z } from 'zod';
import type { SentAct } from './person-act.ts';
import { subject, type Subject } from './subjects.ts';

/** The members of a request that always name one user, such as `user_id` or `customer.user_id`. */
type UserPath<M> = M extends object ? { [K in keyof M & string]: UserPathAt<K, M[K]> }[keyof M & string] : never;
type UserPathAt<K extends string, V> = [V] extends [string]
  ? K extends `${string}user_id`
    ? K
    : never
  : [V] extends [readonly unknown[]]
    ? never
    : `${K}.${UserPath<V>}`;

/** What is declared of a request between regions, besides its shapes. */
interface PeerRules<Path extends string, M = never> {
  /**
   * The member that names the user for whom the request is made. Only the home region of that user may send it. A request that names
   * no such user says why it needs none.
   */
  speaksFor: Path | { nobody: string };
  /**
   * Names the act of a person that is performed, so that the statement of the person's device is checked where the act is stored. Undefined
   * for a request that performs none.
   */
  personAct?(request: M): SentAct | undefined;
  /** Refused while writes are paused, although it reads: what is read is for a write that would be refused. */
  refusedWhilePaused?: true;
}

type PeerPattern<N extends string = string> = `codase.peer.v1.{region}.${N}`;

/**
 * A subject on which one region sends a request to another, with what the region that answers checks before it does so. A read is answered
 * while writes are paused.
 */
export interface PeerSubject<P extends string = PeerPattern, M extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType>
  extends Subject<P, M, R>, PeerRules<string> {
  kind: 'read' | 'write';
}

/** Declares a subject between regions. Whom its request speaks for stands beside its name, so that no subject is declared without it. */
const peerSubject =
  (kind: PeerSubject['kind']) =>
  <N extends string, M extends z.ZodType, R extends z.ZodType>(
    name: N,
    rules: PeerRules<UserPath<z.output<M>>, z.output<M>>,
    message: M,
    reply: R,
  ): PeerSubject<PeerPattern<N>, M, R> => ({
    ...subject(`codase.peer.v1.{region}.${name}` as const, { message, reply }),
    ...rules,
    kind,
  });

/** A subject on which one region reads something in another. */
export const peerRead = peerSubject('read');

/** A subject on which one region has another write something. */
export const peerWrite = peerSubject('write');

/** The name of a subject between regions: the last word of its pattern. */
export const nameOfPeer = ({ pattern }: PeerSubject): string => pattern.slice(pattern.lastIndexOf('.') + 1);

/** Returns the user for whom a request between regions is made; undefined when it is made for nobody. */
export function userSpokenFor({ speaksFor }: PeerSubject, request: object): string | undefined {
  if (typeof speaksFor !== 'string') return undefined;
  return speaksFor.split('.').reduce<unknown>((within, member) => (within as Record<string, unknown>)[member], request) as string;
}

import { z } from 'zod';
import { subject } from './subjects.ts';
import { Id } from './text.ts';

/**
 * The parts of what the roles of the platform ask each other. The front door keeps accounts, clients and grants; a region keeps the rest.
 * No secret or token travels here: a region hashes what it is given and sends the hash. A password is sealed to one process of the front
 * door, which checks it.
 */

export const ofUser = z.strictObject({ user_id: Id });

/** The reply of a request that has nothing to answer. */
export const Done = z.null();

/**
 * Asked of the front door by a region, which its subject names: the bus lets a region ask in its own name alone. What concerns an account
 * is refused to every region but its home.
 */
export const frontDoorSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`cds.front-door.v1.{region}.${name}` as const, { message, reply });

/** Everything that operators alone may ask: no user of a service may publish below it. */
export const OPERATOR_PREFIX = 'cds.operator.v1';

/** Asked of the front door by an operator alone. */
export const operatorSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`${OPERATOR_PREFIX}.front-door.${name}` as const, { message, reply });

/** Asked of one region by an operator alone. */
export const operatorRegionSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`${OPERATOR_PREFIX}.region.{region}.${name}` as const, { message, reply });

/** Asked of one region by the front door. */
export const regionSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`cds.region.v1.{region}.${name}` as const, { message, reply });

/** Asked of one region by another. */
export const peerSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`cds.peer.v1.{region}.${name}` as const, { message, reply });

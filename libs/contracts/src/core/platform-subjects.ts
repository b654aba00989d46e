import { z } from 'zod';
import { subject } from './subjects.ts';
import { Id } from './text.ts';

/**
 * Building blocks of the subjects on which the roles of the platform ask each other. The front door keeps accounts, clients and grants; a
 * region keeps the rest. No secret or token travels here: a region hashes what it is given and sends the hash. A password is sealed to one
 * process of the front door, which checks it.
 */

export const ofUser = z.strictObject({ user_id: Id });

/** The reply of a request that has nothing to answer. */
export const Done = z.null();

/**
 * A subject that a region asks and the front door answers. It names the region: the bus lets a region ask only in its own name. A request
 * about an account is refused to every region but its home.
 */
export const frontDoorSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`codase.front-door.v1.{region}.${name}` as const, { message, reply });

/** The prefix of everything that only operators may ask: no user of a service may publish below it. */
export const OPERATOR_PREFIX = 'codase.operator.v1';

/** A subject that only an operator asks, and the front door answers. */
export const operatorSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`${OPERATOR_PREFIX}.front-door.${name}` as const, { message, reply });

/** A subject that only an operator asks, and one region answers. */
export const operatorRegionSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`${OPERATOR_PREFIX}.region.{region}.${name}` as const, { message, reply });

/** A subject that the front door asks, and one region answers. */
export const regionSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`codase.region.v1.{region}.${name}` as const, { message, reply });

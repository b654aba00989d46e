import { Inject, Injectable } from '@nestjs/common';
import { ActClaims, digestedBody, Refusal, STATEMENT_TYPE, type SentAct } from '@codase/contracts';
import type { ProjectionReader } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import type { CheckedStatement } from '@codase/runtime/initiator';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { z } from 'zod';
import { statedDigest, type ActCheck, type StoredAct } from '../../foundation/peers/index.ts';
import { isRecent, readDeviceJws, UsedProofs, type DeviceJws } from '../tokens/index.ts';
import { DEVICE_KEY_ROWS, type DEVICE_KEYS } from './device-keys.ts';
import { METRICS } from './metrics.ts';

/** What is wrong with the statement over an act, as an app reads it. The names are the values of a label of the metric. */
const STATEMENT_FAULTS = {
  missing:
    'A device of this account has a key, so the act needs its statement (Codase-Act). Act on such a device, or remove the device there',
  malformed: 'Codase-Act: must be a JWS of the type codase-act+jwt, signed with ES256 by the P-256 key in its header',
  act: 'Codase-Act: act, on and digest must be those of this operation, its id in the path, and its body',
  files: 'Codase-Act: files must be the digest of the files that the body names, by their ids and the SHA-256 of each',
  time: 'Codase-Act: iat must be at most a minute away from the Date of this answer',
  key: 'Codase-Act: must be signed by a device of this account that was not removed',
  replayed: 'Codase-Act: an act is stored with this jti already, so make a new statement with another one',
} as const;
type StatementFault = keyof typeof STATEMENT_FAULTS;

/** Faults that the region which sends an act cannot find, so that an app can cause them there. */
const FOUND_LATE: readonly StatementFault[] = ['files', 'replayed'];

/** The sender of an act of this region's own users, in the metric. */
const OWN = 'own';

/**
 * Checks acts where they are stored, by the keys that the front door publishes. A user who has a device acts by a device alone: a region
 * that sends an act without a statement may be broken, whatever it says of the session. A statement is used up by the transaction that
 * stores its act: until then it may come again, as when an answer was lost. @gap D1-5
 */
@Injectable()
export class ActStatements implements ActCheck {
  constructor(
    @Inject(DEVICE_KEY_ROWS) private readonly keys: ProjectionReader<typeof DEVICE_KEYS.shape>,
    private readonly used: UsedProofs,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  check({ user_id, busUser, ...act }: StoredAct, text: string | undefined): CheckedStatement | undefined {
    const { jkts } = this.keys.get(user_id) ?? { jkts: [] };
    if (jkts.length === 0 && text === undefined) return undefined;
    const statement = readStatement(text, act, jkts, this.clock.now());
    if (typeof statement === 'string') throw this.refused(statement, busUser);
    let usedIn: Db | undefined;
    const use = async (tx: Db): Promise<void> => {
      if (act.relayed || tx === usedIn) return; // an act may write several rows of the audit
      if (!(await this.used.use(statement.jkt, statement.claims, tx))) throw this.refused('replayed', busUser);
      usedIn = tx;
    };
    const checkFiles = (files: Readonly<Record<string, string>>): void => {
      if (statement.claims.files !== statedDigest(files)) throw this.refused('files', busUser);
    };
    return { text: text!, use, checkFiles };
  }

  private refused(fault: StatementFault, busUser: string | undefined): Refusal {
    count(METRICS.statementsRefused, { 'codase.fault': fault, 'codase.caller': busUser ?? OWN });
    if (busUser !== undefined && !FOUND_LATE.includes(fault))
      this.log.error('an act of another region was refused: no device of the user has signed it', { 'codase.caller': busUser });
    return new Refusal('account.device_required').because(STATEMENT_FAULTS[fault]);
  }
}

type Statement = DeviceJws<z.infer<typeof ActClaims>>;

/**
 * Reads a statement that fits the act and the keys of its person, used before or not. Returns what is wrong, if anything is.
 *
 * An act that is relayed was stored in the home region of its person before, and used its statement up there. It comes in parts, late and
 * more than once. Its moment must be that of the statement, and by its moment no older act replaces a later one.
 */
function readStatement(text: string | undefined, act: SentAct, jkts: readonly string[], now: Date): Statement | StatementFault {
  if (text === undefined) return 'missing';
  const statement = readDeviceJws(text, STATEMENT_TYPE, ActClaims);
  if (!statement) return 'malformed';
  const { claims, jkt } = statement;
  if (!jkts.includes(jkt)) return 'key';
  if (!isOver(claims, act)) return 'act';
  const moments = [...(act.relayed ? [] : [now]), ...(act.at === undefined ? [] : [new Date(act.at)])];
  return moments.every((moment) => isRecent(claims.iat, moment)) ? statement : 'time';
}

/** Whether a statement is over this act, and over each part of it that has come. */
function isOver(claims: z.infer<typeof ActClaims>, { act, on, relayed = NOTHING, ...stated }: SentAct): boolean {
  if (claims.act !== act || claims.on !== on) return false;
  const body = digestedBody({ act, on, ...stated }, statedDigest);
  const copies = new Set(Array.isArray(body['copies']) ? body['copies'] : []);
  return claims.digest === statedDigest(body) && relayed.copies.every((copy) => copies.has(statedDigest(copy)));
}

const NOTHING: NonNullable<SentAct['relayed']> = { copies: [] };

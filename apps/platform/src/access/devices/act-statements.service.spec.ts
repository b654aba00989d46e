import { createHash } from 'node:crypto';
import { Refusal, STATEMENT_TYPE } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import type { Log } from '@codase/runtime/telemetry';
import { Device } from '@codase/actors';
import { collectTelemetry, forgetTelemetry } from '@codase/testing/collected-telemetry';
import type { UsedProofs } from '../tokens/index.ts';
import { ActStatements } from './act-statements.service.ts';

const EU = 'platform-region-eu';
/** The SHA-256 of `{"a":1,"b":"two"}`. */
const DIGEST = createHash('sha256').update('{"a":1,"b":"two"}').digest('base64url');
const ACT = { act: 'sign_document', on: 'doc_1', body: { b: 'two', a: 1 } };
const CLAIMS = { act: 'sign_document', on: 'doc_1', digest: DIGEST };

describe('statements of devices over acts', () => {
  let clock: ManualClock;
  let device: Device;
  let rows: Record<string, { jkts: string[] }>;
  let used: unknown[];
  let lines: unknown[];
  let statements: ActStatements;
  let telemetry: ReturnType<typeof collectTelemetry>;
  beforeEach(() => {
    telemetry = collectTelemetry();
    clock = new ManualClock(new Date('2026-01-01T12:00:00Z'));
    device = new Device(() => clock.now());
    [used, lines, rows] = [[], [], { usr_device: { jkts: ['of another device', jktOf(device)] } }];
    const use = async (jkt: string, { jti }: { jti: string }) => {
      used.push([jkt, jti]);
      return jti !== 'used';
    };
    const log = { error: (...line: unknown[]) => void lines.push(line) } as unknown as Log;
    statements = new ActStatements({ get: (user_id: string) => rows[user_id] } as never, { use } as unknown as UsedProofs, clock, log);
  });
  afterEach(forgetTelemetry);

  /** Checks a statement, and uses it up as the transaction of the act does. */
  const check = async (statement: string | undefined, user_id = 'usr_device', busUser?: string) => {
    const checked = statements.check({ ...ACT, user_id, busUser }, statement);
    await checked?.use({} as never);
    return checked?.text;
  };
  const signed = (claims: object = {}, by = device) => by.signs(STATEMENT_TYPE, { ...CLAIMS, ...device.moment(), ...claims });
  const faults = async () =>
    (await telemetry.measured())
      .filter(({ name }) => name === 'codase.devices.statements_refused')
      .map(({ attributes }) => [attributes['codase.fault'], attributes['codase.caller']]);

  it('are returned when a device of the user has signed this act, and used up', async () => {
    const statement = signed({ jti: 'first' });

    expect(await check(statement)).toBe(statement);
    expect(used).toEqual([[jktOf(device), 'first']]);
    expect(await faults()).toEqual([]);
  });

  const checked = (act: object, claims: object = {}) =>
    statements.check({ ...ACT, user_id: 'usr_device', busUser: EU, ...act } as never, signed(claims))!;
  const refused = expect.objectContaining({ key: 'account.device_required' });

  it('are used up once by a transaction, and once more by another one', async () => {
    const { use } = checked({});
    const [one, other] = [{}, {}] as [never, never];

    await use(one);
    await use(one);
    expect(used).toHaveLength(1);
    await use(other);
    expect(used).toHaveLength(2);
  });

  it('over a relayed act are not used up, and are compared with the moment of the act in place of the clock', async () => {
    const relayed = { relayed: { copies: [] } };
    const at = clock.now().toISOString();
    const statement = signed();
    clock.passes(3_600_000);
    const checks = (act: object) => statements.check({ ...ACT, user_id: 'usr_device', busUser: EU, ...act } as never, statement);

    await checks({ ...relayed, at })!.use({} as never);
    expect(used).toEqual([]);
    expect(() => checks({ at })).toThrow(refused);
    expect(() => checks({ ...relayed, at: clock.now().toISOString() })).toThrow(refused);
  });

  it('are refused with a copy or with files that they do not name', () => {
    expect(() => checked({ relayed: { copies: ['another'] } })).toThrow(refused);
    expect(() => checked({}, { files: 'of others' }).checkFiles({ one: 'digest' })).toThrow(refused);
    const files = createHash('sha256').update('{"one":"digest"}').digest('base64url');
    expect(() => checked({}, { files }).checkFiles({ one: 'digest' })).not.toThrow();
    expect(lines).toHaveLength(1); // an app can send other files too, so no region is blamed for them
  });

  it('need none of a user without a device', async () => {
    rows['usr_removed'] = { jkts: [] };

    expect(await check(undefined, 'usr_other')).toBeUndefined();
    expect(await check(undefined, 'usr_removed')).toBeUndefined();
  });

  it('are read at the edge of a minute in both directions', async () => {
    const statement = signed();
    clock.passes(60_000);
    const early = signed({ iat: clock.now().getTime() / 1000 + 60 });

    expect(await check(statement)).toBe(statement);
    expect(await check(early)).toBe(early);
  });

  it.each<[string, string, () => string | undefined, RegExp]>([
    ['of nobody', 'missing', () => undefined, /needs its statement/],
    ['that is no JWS', 'malformed', () => 'x.y.z', /must be a JWS/],
    ['of another type', 'malformed', () => device.signs('dpop+jwt', { ...CLAIMS, ...device.moment() }), /must be a JWS/],
    ['of a key that is no device of the user', 'key', () => signed({}, new Device(() => clock.now())), /must be signed by a device/],
    ['over another act', 'act', () => signed({ act: 'accept_document' }), /must be those of this operation/],
    ['over another object', 'act', () => signed({ on: 'doc_2' }), /must be those of this operation/],
    ['over another body', 'act', () => signed({ digest: DIGEST.toLowerCase() }), /must be those of this operation/],
    ['of more than a minute ago', 'time', () => signed({ iat: clock.now().getTime() / 1000 - 61 }), /must be at most a minute away/],
    ['of more than a minute ahead', 'time', () => signed({ iat: clock.now().getTime() / 1000 + 61 }), /must be at most a minute away/],
    ['that was used', 'replayed', () => signed({ jti: 'used' }), /is stored with this jti already/],
  ])('are refused, counted and explained: one %s', async (_, fault, statement, message) => {
    const refused = await check(statement()).catch((error: unknown) => error);

    expect(refused).toMatchObject({ key: 'account.device_required', message: expect.stringMatching(message) });
    expect(refused).toBeInstanceOf(Refusal);
    expect(await faults()).toEqual([[fault, 'own']]);
    expect(lines).toEqual([]);
    expect(used).toHaveLength(fault === 'replayed' ? 1 : 0);
  });

  it('of a user without a device are refused', async () => {
    await expect(check(signed(), 'usr_other')).rejects.toMatchObject({ key: 'account.device_required' });
  });

  it('that another region sent are refused with a line of the log too', async () => {
    await expect(check(undefined, 'usr_device', EU)).rejects.toMatchObject({ key: 'account.device_required' });

    expect(await faults()).toEqual([['missing', EU]]);
    expect(lines).toEqual([['an act of another region was refused: no device of the user has signed it', { 'codase.caller': EU }]]);
  });
});

/** The thumbprint of the key of a device (RFC 7638). */
function jktOf({ key: { crv, kty, x, y } }: Device): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

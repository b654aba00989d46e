import { CHALLENGE_SUBJECTS } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import type { Log } from '@codase/runtime/telemetry';
import { collectTelemetry, forgetTelemetry } from '@codase/testing/collected-telemetry';
import { Speakers } from './speakers.service.ts';

const { answer } = CHALLENGE_SUBJECTS;
const [EU, US] = ['platform-region-eu', 'platform-region-us'];

describe('the region that speaks for a user', () => {
  let clock: ManualClock;
  let homes: Record<string, string>;
  let reads: string[];
  let speakers: Speakers;
  let lines: unknown[];
  beforeEach(() => {
    clock = new ManualClock(new Date());
    [homes, reads, lines] = [{ usr_eu: 'eu', usr_us: 'us' }, [], []];
    const regionOf = async (user_id: string) => {
      reads.push(user_id);
      return homes[user_id];
    };
    const log = { error: (...line: unknown[]) => void lines.push(line) } as unknown as Log;
    speakers = new Speakers({ regionOf }, clock, log);
  });

  const check = (user_id: string, busUser: string | undefined) => speakers.check(answer, user_id, busUser);
  const refused = expect.objectContaining({ key: 'service.unavailable' });

  it('is the one where the user lives', async () => {
    await expect(check('usr_eu', EU)).resolves.toBeUndefined();
    await expect(check('usr_us', US)).resolves.toBeUndefined();
  });

  it.each([
    ['another region', 'usr_us', EU],
    ['a bus user that is no region', 'usr_eu', 'platform-front-door'],
    ['a bus without users', 'usr_eu', undefined],
  ])('is not %s', async (_, user_id, busUser) => {
    await expect(check(user_id, busUser)).rejects.toEqual(refused);
  });

  it('is counted and logged when it speaks for another one, with its bus user and the subject', async () => {
    const telemetry = collectTelemetry();
    for (const busUser of [EU, undefined]) await expect(check('usr_us', busUser)).rejects.toEqual(refused);

    const counted = (await telemetry.measured()).filter(({ name }) => name === 'codase.peers.speakers_refused');
    forgetTelemetry();
    const callers = [EU, 'unknown'].map((caller) => ({ 'codase.caller': caller }));
    expect(counted.map(({ attributes }) => attributes)).toEqual(callers);
    const message = 'a request for a user was refused, because the user does not live in the region that sent it';
    expect(lines).toEqual(callers.map((caller) => [message, { ...caller, 'messaging.destination.template': answer.pattern }]));
  });

  it('does not exist for a user whom the front door does not know', async () => {
    await expect(check('usr_unknown', 'platform-region-undefined')).rejects.toEqual(refused);
  });

  it('is remembered for a minute', async () => {
    await check('usr_eu', EU);
    clock.passes(59_999);
    await check('usr_eu', EU);
    expect(reads).toHaveLength(1);

    clock.passes(1);
    await check('usr_eu', EU);
    expect(reads).toHaveLength(2);
  });

  it('is read again at once when another one speaks for a user who has moved', async () => {
    await check('usr_eu', EU);
    homes['usr_eu'] = 'us';

    await check('usr_eu', US);
    await expect(check('usr_eu', EU)).rejects.toEqual(refused);
  });

  it('is remembered for 10,000 users, the oldest ones are forgotten', async () => {
    for (let nth = 0; nth <= 10_000; nth++) homes[`usr_${nth}`] = 'eu';
    for (let nth = 0; nth <= 10_000; nth++) await check(`usr_${nth}`, EU);
    reads.length = 0;

    await check('usr_1', EU);
    await check('usr_0', EU);

    expect(reads).toEqual(['usr_0']);
  });

  it('that is read again makes no other one be forgotten', async () => {
    for (let nth = 0; nth < 10_000; nth++) homes[`usr_${nth}`] = 'eu';
    for (let nth = 0; nth < 10_000; nth++) await check(`usr_${nth}`, EU);
    await expect(check('usr_5', US)).rejects.toEqual(refused);
    reads.length = 0;

    for (let nth = 0; nth < 10_000; nth++) await check(`usr_${nth}`, EU);

    expect(reads).toEqual([]);
  });
});

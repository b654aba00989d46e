import { currentStatement, onBehalfOf } from '@codase/runtime/initiator';
import { APP_EVENT_SUBJECTS, CHALLENGE_SUBJECTS, CONNECTION_SUBJECTS, nameOfPeer, Refusal, type PeerSubject } from '@codase/contracts';
import { PeerHandlers, type Handlers } from './peer-handlers.service.ts';

const PERSON = { person_user_id: 'usr_1' };
const FROM_EU = { user: 'platform-region-eu', withinMs: 300 };

describe('handlers of requests of other regions', () => {
  let mode: { outOfOrder: boolean; writesPaused: boolean };
  let checked: unknown[];
  let answered: unknown[];
  let acts: unknown[];
  let handlers: PeerHandlers;
  beforeEach(() => {
    [mode, checked, answered, acts] = [{ outOfOrder: false, writesPaused: false }, [], [], []];
    const checkInOrder = () => {
      if (mode.outOfOrder) throw new Refusal('platform.out_of_order');
    };
    const checkWritable = () => {
      checkInOrder();
      if (mode.writesPaused) throw new Refusal('db.writes_paused');
    };
    const check = async (subject: PeerSubject, user_id: string, busUser?: string) => {
      checked.push([nameOfPeer(subject), user_id, busUser]);
      if (user_id === 'usr_of_another_region') throw new Refusal('service.unavailable');
    };
    const checkAct = (act: { user_id: string }, statement: string | undefined) => {
      acts.push([act, statement]);
      if (statement === 'forged') throw new Refusal('account.device_required');
      return statement === undefined ? undefined : { text: statement, use: async () => undefined, checkFiles: () => undefined };
    };
    handlers = new PeerHandlers({ checkInOrder, checkWritable }, { check }, { check: checkAct });
    for (const subject of SUBJECTS) {
      const answer = async (...given: unknown[]) => answered.push(given);
      handlers.bind({ answer: subject }, { answer } as unknown as Handlers<{ answer: typeof subject }>);
    }
  });

  const { cards: read, revokeEnrolment: write, answer: act } = CHALLENGE_SUBJECTS;
  const { slots: readBeforeWrite } = CONNECTION_SUBJECTS;
  const { store: forNobody } = APP_EVENT_SUBJECTS;
  const SUBJECTS: readonly PeerSubject[] = [read, write, readBeforeWrite, forNobody, act];
  const refused = (key: string) => expect.objectContaining({ key }) as Error;

  it('get the time for which the other region waits, and its bus user', async () => {
    await handlers.answer(read, PERSON, FROM_EU);
    await handlers.handle(read, PERSON);

    expect(answered).toEqual([[PERSON, 300, 'platform-region-eu'], [PERSON]]);
  });

  it('get reads while writes are paused, but neither writes nor reads for a write', async () => {
    mode.writesPaused = true;

    await handlers.answer(read, PERSON, FROM_EU);
    await expect(handlers.answer(write, PERSON, FROM_EU)).rejects.toEqual(refused('db.writes_paused'));
    await expect(handlers.answer(readBeforeWrite, PERSON, FROM_EU)).rejects.toEqual(refused('db.writes_paused'));

    expect(answered).toHaveLength(1);
  });

  it('get nothing while the region is out of order', async () => {
    mode.outOfOrder = true;

    for (const subject of SUBJECTS)
      await expect(handlers.answer(subject, PERSON, FROM_EU)).rejects.toEqual(refused('platform.out_of_order'));

    expect(answered).toEqual([]);
  });

  it('get a request for a user only after the home of that user was checked against the bus user', async () => {
    const ofOther = { person_user_id: 'usr_of_another_region' };

    await handlers.answer(read, PERSON, FROM_EU);
    await expect(handlers.answer(read, ofOther, FROM_EU)).rejects.toEqual(refused('service.unavailable'));

    expect(answered).toEqual([[PERSON, 300, 'platform-region-eu']]);
    expect(checked).toEqual([
      ['challenge_cards', 'usr_1', 'platform-region-eu'],
      ['challenge_cards', 'usr_of_another_region', 'platform-region-eu'],
    ]);
  });

  it('get a request for nobody, and one of their own region, without that check', async () => {
    await handlers.answer(forNobody, { events: [] }, FROM_EU);
    await handlers.handle(read, { person_user_id: 'usr_of_another_region' });

    expect(answered).toHaveLength(2);
    expect(checked).toEqual([]);
  });

  it('get a request that came as text after the same checks', async () => {
    mode.writesPaused = true;
    const text = JSON.stringify({ ...PERSON, service_id: 'svc_1' });

    await expect(handlers.answerText('revoke_enrolment', text, FROM_EU)).rejects.toEqual(refused('db.writes_paused'));
    mode.writesPaused = false;
    const ofOther = text.replace('usr_1', 'usr_of_another_region');
    await expect(handlers.answerText('revoke_enrolment', ofOther, FROM_EU)).rejects.toEqual(refused('service.unavailable'));
    await expect(handlers.answerText('no_such_subject', text, FROM_EU)).rejects.toMatchObject({
      key: 'request.invalid',
      message: expect.stringContaining('must be one that this region answers'),
    });
  });

  describe('of acts of persons', () => {
    const DENIAL = { person_user_id: 'usr_1', challenge_id: 'chal_1', answer: { kind: 'deny' } };
    const STORED = { act: 'deny_challenge', on: 'chal_1', body: {}, user_id: 'usr_1' };

    it('get them after the statement was checked against the user, the act and the bus user', async () => {
      await onBehalfOf({ statement: 'signed' }, () => handlers.answer(act, DENIAL, FROM_EU));
      await onBehalfOf({ statement: 'signed' }, () => handlers.handle(act, DENIAL));

      expect(acts).toEqual([
        [{ ...STORED, busUser: 'platform-region-eu' }, 'signed'],
        [{ ...STORED, busUser: undefined }, 'signed'],
      ]);
      expect(answered).toHaveLength(2);
    });

    it('get none whose statement is refused', async () => {
      const forged = () => onBehalfOf({ statement: 'forged' }, () => handlers.answer(act, DENIAL, FROM_EU));

      await expect(forged()).rejects.toEqual(refused('account.device_required'));
      expect(answered).toEqual([]);
    });

    it('are checked without an initiator too, by a statement that is missing', async () => {
      await handlers.answer(act, DENIAL, FROM_EU);

      expect(acts).toEqual([[{ ...STORED, busUser: 'platform-region-eu' }, undefined]]);
    });

    it('run with the checked statement, which the audit keeps, and with none for what is no act', async () => {
      const stated = (subject: PeerSubject, request: object) =>
        onBehalfOf({ statement: 'signed' }, () => handlers.perform(subject, request, () => currentStatement()?.text));

      expect(await stated(act, DENIAL)).toBe('signed');
      expect(await stated(read, PERSON)).toBeUndefined();
      expect(acts).toHaveLength(1);
    });
  });

  it('check an act of a person before it is sent to another region, as one of their own', () => {
    const acts: unknown[] = [];
    const check = (act: object) => {
      acts.push(act);
      throw new Refusal('account.device_required');
    };
    const checking = new PeerHandlers({ checkInOrder() {}, checkWritable() {} }, { check: async () => {} }, { check });
    const request = { ...PERSON, challenge_id: 'chal_1', answer: { kind: 'deny' } };

    expect(() => checking.checkBeforeSending(CHALLENGE_SUBJECTS.answer, request)).toThrow(refused('account.device_required'));
    expect(() => checking.checkBeforeSending(read, PERSON)).not.toThrow();

    expect(acts).toEqual([{ act: 'deny_challenge', on: 'chal_1', body: {}, user_id: 'usr_1', busUser: undefined }]);
  });
});

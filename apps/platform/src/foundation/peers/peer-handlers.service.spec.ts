import { CHALLENGE_SUBJECTS, CONNECTION_SUBJECTS, DELEGATION_SUBJECTS, Refusal, type PeerSubject } from '@codase/contracts';
import { PeerHandlers, type Handlers } from './peer-handlers.service.ts';

const PERSON = { person_user_id: 'usr_1' };

describe('handlers of requests of other regions', () => {
  let mode: { outOfOrder: boolean; writesPaused: boolean };
  let homeState: string | undefined;
  let answered: unknown[];
  let handlers: PeerHandlers;
  beforeEach(() => {
    [mode, homeState, answered] = [{ outOfOrder: false, writesPaused: false }, undefined, []];
    const checkInOrder = () => {
      if (mode.outOfOrder) throw new Refusal('platform.out_of_order');
    };
    const checkWritable = () => {
      checkInOrder();
      if (mode.writesPaused) throw new Refusal('db.writes_paused');
    };
    const records = () => (homeState === undefined ? [] : [{ home: homeState }]);
    const db = { createQueryRunner: () => ({ query: async () => ({ records: records() }), release: async () => undefined }) };
    handlers = new PeerHandlers(db as never, { checkInOrder, checkWritable });
    for (const subject of SUBJECTS) {
      const answer = async (request: unknown, withinMs?: number) => answered.push([request, withinMs]);
      handlers.bind({ answer: subject }, { answer } as unknown as Handlers<{ answer: typeof subject }>);
    }
  });

  const { cards: read, revokeEnrolment: write } = CHALLENGE_SUBJECTS;
  const { slots: readBeforeWrite } = CONNECTION_SUBJECTS;
  const { list: ofDelegate } = DELEGATION_SUBJECTS;
  const SUBJECTS: readonly PeerSubject[] = [read, write, readBeforeWrite, ofDelegate];
  const refused = (key: string) => expect.objectContaining({ key }) as Error;

  it('get the time for which the other region waits', async () => {
    await handlers.answer(read, PERSON, 300);
    await handlers.handle(read, PERSON);

    expect(answered).toEqual([
      [PERSON, 300],
      [PERSON, undefined],
    ]);
  });

  it('get reads while writes are paused, but neither writes nor reads for a write', async () => {
    mode.writesPaused = true;

    await handlers.answer(read, PERSON);
    await expect(handlers.answer(write, PERSON)).rejects.toEqual(refused('db.writes_paused'));
    await expect(handlers.answer(readBeforeWrite, PERSON)).rejects.toEqual(refused('db.writes_paused'));

    expect(answered).toHaveLength(1);
  });

  it('get nothing while the region is out of order', async () => {
    mode.outOfOrder = true;

    for (const subject of SUBJECTS) await expect(handlers.answer(subject, PERSON)).rejects.toEqual(refused('platform.out_of_order'));

    expect(answered).toEqual([]);
  });

  it('do not get a request for a user of this region when its subject says so', async () => {
    await handlers.answer(ofDelegate, { user_id: 'usr_1' });
    homeState = 'here';

    await expect(handlers.answer(ofDelegate, { user_id: 'usr_1' })).rejects.toEqual(refused('service.unavailable'));
    await handlers.answer(read, PERSON);

    expect(answered).toHaveLength(2);
  });

  it('get a request that came as text after the same checks', async () => {
    mode.writesPaused = true;
    const text = JSON.stringify({ ...PERSON, service_id: 'svc_1' });

    await expect(handlers.answerText('revoke_enrolment', text)).rejects.toEqual(refused('db.writes_paused'));
    await expect(handlers.answerText('no_such_subject', text)).rejects.toEqual(refused('request.invalid'));
  });
});

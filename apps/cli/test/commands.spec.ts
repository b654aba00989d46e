import { at, PARKED } from '@cds/contracts';
import type { Bus } from '@cds/runtime/bus';
import { eventually, World } from '@cds/testing';
import { setScene } from '@cds/stack';
import { challenge } from '../src/challenge.ts';
import { listen } from '../src/listen.ts';
import { mail } from '../src/mail.ts';
import { approve, deny, enrol } from '../src/phone-commands.ts';
import { resend } from '../src/resend.ts';
import { status } from '../src/status.ts';
import { trigger } from '../src/trigger.ts';
import type { Target } from '../src/target.ts';
import { targetIn, run, type Run } from './run.ts';

describe('npm run cds on a stack', () => {
  let world: World;
  let target: Target;
  let operator: Bus;
  const listeners: Run[] = [];
  beforeAll(async () => {
    world = await World.open({ neighbours: [{ user: 'till', services: ['shop'], groups: ['cli'] }] });
    target = targetIn(world);
    await scene();
    // What the scene tells is on its way: only what comes after it is counted.
    operator = await world.operator('suite');
    await moreEventsThan(0);
  });
  afterEach(async () => {
    for (const listener of listeners.splice(0)) {
      listener.interrupt();
      await listener.ended;
    }
  });
  afterAll(() => world?.close());

  const scene = () => setScene({ person: (code) => world.person(code), company: () => world.acme });
  const events = async () => (await (await operator.manager()).streams.info('FEED')).state.messages;
  const moreEventsThan = (count: number) => eventually(async () => ((await events()) > count ? true : undefined));

  async function listening(...words: string[]): Promise<Run> {
    const listener = run(listen, words, target);
    listeners.push(listener);
    await Promise.race([listener.noted, listener.ended]);
    return listener;
  }
  const triggers = async (...words: string[]) => {
    const { ended, said, results } = run(trigger, words, target);
    expect(await ended).toBe(0);
    return { said: said.join('\n'), result: results[0]! };
  };

  it('listens to what a person does, and has it opened', async () => {
    const listener = await listening('--open', '--most', '1');
    const { said, result } = await triggers('--value', 'ana@new.example');

    expect(said).toBe('Ana Lind edits email: ana@new.example');
    expect(await listener.ended).toBe(0);
    expect(listener.results).toMatchObject([
      { event: 'field_updated', share_code: 'ANA', slug: 'email', clear: { value: 'ana@new.example' } },
    ]);
    expect(listener.said[0]).toMatch(/field_updated {2}ANA {2}email {2}live true {2}"ana@new.example"$/);
    expect(result).toMatchObject({ kind: 'field_updated', field: 'email', value: 'ana@new.example' });
  });

  it('shows no value unless asked to', async () => {
    const listener = await listening('--most', '1');
    const { result } = await triggers();

    await listener.ended;
    expect(result['value']).toMatch(/^ana\.\d{4}@demo\.example$/);
    expect(JSON.stringify([listener.said, listener.results])).not.toContain(result['value']);
    expect(listener.said[0]).toMatch(/\(sealed, \d+ characters\)$/);
  });

  it('lets a person do everything the shop is told of, and hears it in order', async () => {
    const listener = await listening();
    const deeds = [
      ['field_deleted', '--field', 'phone'],
      ['consent_accepted'],
      ['field_deleted'],
      ['consent_declined'],
      ['connection_deleted'],
      ['connection_created'],
    ];
    for (const words of deeds) await triggers(...words);

    await eventually(async () => (listener.results.length >= deeds.length ? true : undefined));
    expect(listener.results.map(({ event }) => event)).toEqual(deeds.map(([kind]) => kind));
  });

  it('hears nothing of what happened before', async () => {
    const before = await events();
    await triggers('--value', 'before@new.example');
    await moreEventsThan(before);
    const listener = await listening('--open', '--most', '1');
    await triggers('--value', 'after@new.example');

    await listener.ended;
    expect(listener.results).toMatchObject([{ clear: { value: 'after@new.example' } }]);
  });

  it('begins the next demo with all shared again', async () => {
    await triggers('field_deleted', '--field', 'email');
    const listener = await listening('--event', 'consent_accepted', '--most', '1');
    await scene();
    await scene();

    await listener.ended;
    expect(listener.results).toMatchObject([{ share_code: 'ANA', slug: 'email' }]);
    await triggers('field_updated');
  });

  it('hears one kind alone', async () => {
    const listener = await listening('--event', 'connection_created', '--most', '1');
    await triggers('field_updated', '--field', 'first_name');
    await triggers('connection_created', '--person', 'chiara');

    await listener.ended;
    expect(listener.results.map(({ event, share_code }) => [event, share_code])).toEqual([['connection_created', 'CHIARA']]);
  });

  it('asks a person to approve a login, and is the phone that does', async () => {
    await expect(run(challenge, ['--person', 'BEN'], target).ended).rejects.toThrow('First do npm run cds -- enrol --person BEN.');
    await expect(run(approve, [], target).ended).rejects.toThrow('No login waits for Ana Lind: first do npm run cds -- challenge');
    expect(await run(enrol, [], target).ended).toBe(0);
    for (const [tap, code, said] of [
      [approve, 0, 'approved: the login is let in'],
      [deny, 1, 'denied: nobody is let in'],
    ] as const) {
      const login = run(challenge, [], target);
      await Promise.race([login.noted, login.ended]);
      const [, digits = ''] = /Digits to type on the phone: (\d\d)\. .* npm run cds -- approve --digits \1/.exec(login.notes[0]!) ?? [];
      expect(digits).not.toBe('');
      const tapped = run(tap, tap === approve ? ['--digits', digits] : [], target);
      expect(await tapped.ended).toBe(0);
      expect(await login.ended).toBe(code);
      expect(login.said).toEqual([said]);
    }
  });

  it.each([
    [['field_updated', '--person', 'BEN'], 'BEN is not connected to the shop', 'connection_created --person BEN.'],
    [['connection_created'], 'ANA is connected already', 'connection_deleted.'],
    [['consent_accepted', '--field', 'email'], 'ANA shares email already', 'field_deleted --field email.'],
    [['consent_declined', '--field', 'email'], 'ANA has answered email already', 'field_deleted --field email.'],
  ])('says what has to happen before: %s', async (words, why, before) => {
    await expect(run(trigger, words, target).ended).rejects.toThrow(`${why}: first do npm run cds -- trigger ${before}`);
  });

  it('lets nobody listen twice as the same user, since the two would share the events', async () => {
    await listening();

    await expect(run(listen, [], target).ended).rejects.toThrow('Somebody listens as shop-backend already');
  });

  it("says so when a service is none of the user's", async () => {
    const sentence = /^shop-backend cannot listen to desk .*: its rights on the bus must name that service and the group cli\.$/;
    await expect(run(listen, ['--service', 'desk'], target).ended).rejects.toThrow(sentence);
  });

  it('has nothing opened for whom the decryptor does not answer', async () => {
    const listener = run(listen, ['--open'], targetIn(world, 'till'));
    await listener.noted;
    await triggers();

    await expect(listener.ended).rejects.toMatchObject({ key: 'decryptor.caller_refused' });
    expect(listener.said).toEqual([]);
  });

  it('says how everything is, and that it is wrong once something is', async () => {
    const well = run(status, [], target);
    expect([await well.ended, well.results[0]!['wrong']]).toEqual([0, []]);
    expect(well.said[0]).toMatch(/^platform-region-eu +ready +\S+$/m);
    expect(well.said[0]).toMatch(/^shop +\S+ +[\d.]+ (s|min)$/m);
    expect(well.said[0]).toMatch(/\n\nAll is well\.$/);

    await operator.streams.publish(at(PARKED, { consumer: 'shop-backend_customers_p03' }), '{}');
    const bad = run(status, [], target);
    expect(await bad.ended).toBe(1);
    expect(bad.said[0]).toMatch(/\nshop-backend_customers has parked 1 events, the newest at /);
  });

  it('has a time sent again', async () => {
    const listener = await listening('--most', '1');
    const { ended, results, said } = run(resend, ['--from', '1h'], target);

    expect(await ended).toBe(0);
    const { events } = results[0] as { events: number };
    expect(events).toBeGreaterThan(5);
    expect(said).toEqual([`${events} events of shop are sent again.`]);
    expect(await listener.ended).toBe(0);
  });

  it('shows the mails that no relay sends, and the code in them', async () => {
    const person = await world.signsUp({ type: 'person', email: 'letters@world.example' });
    const { ended, said, results } = run(mail, ['--to', 'Letters@World.example'], target);

    expect(await ended).toBe(0);
    expect(results).toMatchObject([{ to: person.email, code: expect.stringMatching(/^[2-9A-Z]{8}$/) }]);
    expect(said[0]).toContain(`to letters@world.example: ${String(results[0]!['code'])} is your code`);
    await expect(run(mail, ['--to', 'nobody@world.example'], target).ended).rejects.toThrow('No mail to nobody@world.example waits.');
  });
});

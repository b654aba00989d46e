import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, PARKED } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { eventually, World } from '@codase/testing';
import { setScene } from '@codase/stack';
import { challenge } from '../src/challenge.ts';
import { cancelDocument, downloadDocument, listDocuments, replaceFile, sendDocument, showDocument } from '../src/documents.ts';
import { listen } from '../src/listen.ts';
import { mail } from '../src/mail.ts';
import { approve, deny, enrol } from '../src/phone-commands.ts';
import { resend } from '../src/events.ts';
import { status } from '../src/status.ts';
import { trigger } from '../src/trigger.ts';
import type { Read } from '../src/command.ts';
import type { Target } from '../src/target.ts';
import { targetIn, run, type Run } from './run.ts';

const PDF = 'libs/pdf/test/fixtures/producers/reportlab.pdf';

describe('npm run codase on a running stack', () => {
  let world: World;
  let target: Target;
  let operator: Bus;
  const listeners: Run[] = [];
  beforeAll(async () => {
    world = await World.open({ neighbours: [{ user: 'till', services: ['shop'], groups: ['cli'] }] });
    target = targetIn(world);
    await scene();
    // Events of the scene are still on their way. The tests count only the events that come after them.
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

  it('listen --open prints events with decrypted values', async () => {
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

  it('listen prints no values without --open', async () => {
    const listener = await listening('--most', '1');
    const { result } = await triggers();

    await listener.ended;
    expect(result['value']).toMatch(/^ana\.\d{4}@demo\.example$/);
    expect(JSON.stringify([listener.said, listener.results])).not.toContain(result['value']);
    expect(listener.said[0]).toMatch(/\(sealed, \d+ characters\)$/);
  });

  it('trigger performs every action that makes an event, and listen prints the events in order', async () => {
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

  it('listen prints no events from before it started', async () => {
    const before = await events();
    await triggers('--value', 'before@new.example');
    await moreEventsThan(before);
    const listener = await listening('--open', '--most', '1');
    await triggers('--value', 'after@new.example');

    await listener.ended;
    expect(listener.results).toMatchObject([{ clear: { value: 'after@new.example' } }]);
  });

  it('the demo scene shares all fields again when it is set up once more', async () => {
    await triggers('field_deleted', '--field', 'email');
    const listener = await listening('--event', 'consent_accepted', '--most', '1');
    await scene();
    await scene();

    await listener.ended;
    expect(listener.results).toMatchObject([{ share_code: 'ANA', slug: 'email' }]);
    await triggers('field_updated');
  });

  it('listen --event prints only events of that kind', async () => {
    const listener = await listening('--event', 'connection_created', '--most', '1');
    await triggers('field_updated', '--field', 'first_name');
    await triggers('connection_created', '--person', 'chiara');

    await listener.ended;
    expect(listener.results.map(({ event, share_code }) => [event, share_code])).toEqual([['connection_created', 'CHIARA']]);
  });

  it('challenge waits until the login is approved or denied by the commands that play the phone', async () => {
    await expect(run(challenge, ['--person', 'BEN'], target).ended).rejects.toThrow('First do npm run codase -- enrol --person BEN.');
    await expect(run(approve, [], target).ended).rejects.toThrow('No login waits for Ana Lind: first do npm run codase -- challenge');
    expect(await run(enrol, [], target).ended).toBe(0);
    for (const [tap, code, said] of [
      [approve, 0, 'approved: the login is let in'],
      [deny, 1, 'denied: nobody is let in'],
    ] as const) {
      const login = run(challenge, [], target);
      await Promise.race([login.noted, login.ended]);
      const [, digits = ''] = /Digits to type on the phone: (\d\d)\. .* npm run codase -- approve --digits \1/.exec(login.notes[0]!) ?? [];
      expect(digits).not.toBe('');
      const tapped = run(tap, tap === approve ? ['--digits', digits] : [], target);
      expect(await tapped.ended).toBe(0);
      expect(await login.ended).toBe(code);
      expect(login.said).toEqual([said]);
    }
  });

  describe('documents commands', () => {
    let folder: string;
    beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'codase-documents-'))));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const does = async (read: Read, ...words: string[]) => {
      const { ended, said, results } = run(read, words, target);
      expect(await ended).toBe(0);
      return { said: said.join('\n'), result: results[0]! };
    };
    const sends = async (...words: string[]) => String((await does(sendDocument, ...words)).result['id']);
    const refusal = async (read: Read, ...words: string[]) => {
      const error = await run(read, words, target).ended.catch((thrown: unknown) => thrown);
      return (error as Error).message;
    };

    it('send, replace, show, cancel and download a document that is signed on the phone', async () => {
      const id = await sends(PDF, '--to', 'ANA', '--kind', 'agreement', '--sign', '--name', 'Lease of\u202e May');
      expect(await refusal(downloadDocument, id)).toContain('npm run codase -- trigger sign');
      expect((await does(showDocument, id)).said).toMatch(/^name +Lease of\? May$/m);

      const draft = join(folder, 'draft.pdf');
      writeFileSync(draft, 'not yet what is signed');
      expect((await does(replaceFile, id, draft)).said).toBe(`${id} has another file now`);
      await does(replaceFile, id, PDF);

      expect((await triggers('sign', '--document', id)).result).toMatchObject({ kind: 'sign', document_id: id, status: 'active' });
      expect(await refusal(replaceFile, id, PDF)).toContain('send another document');

      const to = join(folder, 'signed.pdf');
      const { said, result } = await does(downloadDocument, id, '--to', to);
      expect(said).toMatch(/^\S+signed\.pdf: \d+ bytes, sealed and whole/);
      expect(result).toMatchObject({ verification: { verdict: 'sealed' }, document: { id } });
      expect(readFileSync(to).subarray(0, statSync(PDF).size).equals(readFileSync(PDF))).toBe(true);
      expect(await refusal(downloadDocument, id, '--to', to)).toContain('is there already');
      expect((await does(showDocument, id)).said).toMatch(/^signed +\S+ biometric Ana Lind$/m);
      expect((await does(listDocuments, '--status', 'active')).said).toContain(id);

      const { said: cancelled } = await does(cancelDocument, id, '--on', '2030-12-31');
      expect(cancelled).toBe(`${id} is active_but_ending until 2030-12-31`);
      await does(cancelDocument, id);
      expect((await does(showDocument, id)).result).toMatchObject({ status: 'ended' });
    });

    it('apply accept, decline and cancel on the phone to the newest document that allows it', async () => {
      const offer = join(folder, 'offer.json');
      writeFileSync(offer, '{"price":12}');
      const one = await sends(offer, '--to', 'ANA', '--accept');
      await world.passes({ seconds: 1 });
      const two = await sends(offer, '--to', 'ANA', '--accept', '--kind', 'agreement', '--cancellable');

      expect((await triggers('accept')).result).toMatchObject({ document_id: two, status: 'active' });
      expect(await refusal(trigger, 'connection_deleted')).toContain('has a contract in force: first do npm run codase -- trigger cancel.');
      expect((await triggers('decline')).result).toMatchObject({ document_id: one, status: 'ended' });
      expect((await triggers('cancel', '--on', '2030-12-31')).result).toMatchObject({ document_id: two, status: 'active_but_ending' });
      await does(cancelDocument, two);
      expect(await refusal(trigger, 'sign')).toContain('There is nothing that ANA signs now: first do npm run codase -- documents send');
    });

    it('send a document in plaintext to everybody, once for each key', async () => {
      const hours = join(folder, 'hours.json');
      writeFileSync(hours, '{"open":"9 to 17"}');

      const id = await sends(hours, '--everybody', '--key', 'hours');

      expect(await sends(hours, '--everybody', '--key', 'hours')).toBe(id);
      const to = join(folder, 'read.json');
      await does(downloadDocument, id, '--to', to);
      expect(JSON.parse(readFileSync(to, 'utf8'))).toEqual({ open: '9 to 17' });
    });

    it("send a file over the bus limit through the gateway's HTTP server, sealed like any other", async () => {
      const [path, bytes] = [join(folder, 'scan.png'), randomBytes(5_000_000)];
      writeFileSync(path, bytes);

      const id = await sends(path, '--to', 'ANA');

      const ana = world.person('ANA');
      const { value } = (await ana.documents.fetches({ id })) as { value: string };
      const { file, ...rest } = JSON.parse(await ana.opens(value)) as { file: string };
      expect(rest).toEqual({ original_name: 'scan.png', mime_type: 'image/png', size: bytes.length });
      expect(file === `data:image/png;base64,${bytes.toString('base64')}`).toBe(true);
    });

    it('report how to fix a failed call', async () => {
      expect(await refusal(sendDocument, PDF, '--to', 'BEN')).toContain('trigger connection_created --person CODE');
      expect(await refusal(sendDocument, PDF, '--to', 'NOBODY')).toContain('--to is the share code of a customer');
      expect(await refusal(sendDocument, join(folder, 'none.pdf'), '--to', 'ANA')).toContain('ENOENT');
      expect(await refusal(showDocument, 'doc_none')).toContain('documents list');
      expect(await refusal(replaceFile, 'doc_none', PDF)).toContain('documents list');
      expect(() => replaceFile(['doc_none'])).toThrow('FILE is missing');
      expect(await refusal(sendDocument, import.meta.filename, '--to', 'ANA')).toContain('give --type');
    });
  });

  it.each([
    [['field_updated', '--person', 'BEN'], 'BEN is not connected to the shop', 'connection_created --person BEN.'],
    [['connection_created'], 'ANA is connected already', 'connection_deleted.'],
    [['consent_accepted', '--field', 'email'], 'ANA shares email already', 'field_deleted --field email.'],
    [['consent_declined', '--field', 'email'], 'ANA has answered email already', 'field_deleted --field email.'],
  ])('trigger names the command to run first when its condition is not met: %s', async (words, why, before) => {
    await expect(run(trigger, words, target).ended).rejects.toThrow(`${why}: first do npm run codase -- trigger ${before}`);
  });

  it('listen refuses a second listener of the same bus user', async () => {
    await listening();

    await expect(run(listen, [], target).ended).rejects.toThrow('Somebody listens as shop-backend already');
  });

  it('listen refuses a service that the bus user has no rights to', async () => {
    const sentence = /^shop-backend cannot listen to desk .*: its rights on the bus must name that service and the group cli\.$/;
    await expect(run(listen, ['--service', 'desk'], target).ended).rejects.toThrow(sentence);
  });

  it('listen --open fails for a caller that the decryptor refuses', async () => {
    const listener = run(listen, ['--open'], targetIn(world, 'till'));
    await listener.noted;
    await triggers();

    await expect(listener.ended).rejects.toMatchObject({ key: 'decryptor.caller_refused' });
    expect(listener.said).toEqual([]);
  });

  it('status reports that all is well, and exits with 1 once events are parked', async () => {
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

  it('events resend publishes the events of a time range again', async () => {
    const listener = await listening('--most', '1');
    const { ended, results, said } = run(resend, ['--from', '1h'], target);

    expect(await ended).toBe(0);
    const { events } = results[0] as { events: number };
    expect(events).toBeGreaterThan(5);
    expect(said).toEqual([`${events} events of shop are sent again.`]);
    expect(await listener.ended).toBe(0);
  });

  it('mail prints mails that no relay sends, with their code', async () => {
    const person = await world.signsUp({ type: 'person', email: 'letters@world.example' });
    const { ended, said, results } = run(mail, ['--to', 'Letters@World.example'], target);

    expect(await ended).toBe(0);
    expect(results).toMatchObject([{ to: person.email, code: expect.stringMatching(/^[2-9A-Z]{8}$/) }]);
    expect(said[0]).toContain(`to letters@world.example: ${String(results[0]!['code'])} is your code`);
    await expect(run(mail, ['--to', 'nobody@world.example'], target).ended).rejects.toThrow('No mail to nobody@world.example waits.');
  });
});

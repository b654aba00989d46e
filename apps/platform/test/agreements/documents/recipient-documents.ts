import { createHash } from 'node:crypto';
import { appDocuments, connections, customer, services } from '@codase/contracts';
import { comesTrue, type OwnConnection, type Person } from '@codase/testing';
import { refused } from '../../sharing/connections/connections-world.ts';
import { CANCELLABLE, CONTRACT, type DocumentsWorld } from './documents-world.ts';

const SHA256 = createHash('sha256').update('%PDF-1.7').digest('hex');

/** What a customer does with the documents of a service. @spec D1-3.3 */
export function recipientDocuments(given: DocumentsWorld): void {
  const { broadcasts, connected, creates, dayAfter, eventsOf, holds, kindsOf, sealed, today } = given;

  describe.each(['eu', 'us'] as const)('on the phone of a person in region %s', (region) => {
    let bob: Person;
    let own: OwnConnection;
    beforeAll(async () => {
      ({ person: bob, connection: own } = await connected(region));
    });
    beforeEach(() => given.world.passes({ minutes: 1 }));

    it('are announced by an app event, listed, read and decrypted', async () => {
      const phone = bob.phone.listens();
      await phone.hears('reset');
      const document = await given.shop.documents.issues(bob, { value: '{"price":13}' });
      const terms = await broadcasts();

      expect((await phone.hears('document_created')).data).toEqual({ document_id: document.id });
      expect((await bob.documents.list({ limit: 2 })).map(({ id }) => id).sort()).toEqual([document.id, terms.id].sort());
      expect(await bob.documents.list({ connection_id: own.id, status: 'active' })).toEqual([document]);
      expect(await bob.documents.reads(document)).toEqual(document);
      const { value } = (await bob.documents.fetches(document)) as { value: string };
      expect(await bob.opens(value)).toBe('{"price":13}');
      expect(await bob.documents.fetches(terms)).toMatchObject({ content_type: 'application/pdf' });

      await given.shop.documents.deletes(document);
      expect((await phone.hears('document_deleted')).data).toEqual({ document_id: document.id });
      await phone.leaves();
    });

    it('are accepted only once', async () => {
      const document = await given.shop.documents.issues(bob, { requires_acceptance: true });

      const taps = await Promise.allSettled(Array.from({ length: 5 }, () => bob.documents.accepts(document)));

      const done = taps.flatMap((tap) => (tap.status === 'fulfilled' ? [tap.value] : []));
      expect(done).toEqual([{ ...document, status: 'active', signatures: [acceptance()] }]);
      expect(taps.flatMap((tap) => (tap.status === 'rejected' ? [tap.reason as unknown] : []))).toEqual(
        Array.from({ length: 4 }, () => refused('documents.transition_invalid', 409)),
      );
      expect(await eventsOf(document)).toEqual([
        expect.objectContaining({ event: 'document_created' }),
        statusChanged(document.id, { status: 'active', action: 'accepted', ...signer() }),
      ]);
      expect(await given.shop.documents.reads(document)).toEqual(done[0]);
    });

    it.each(['ready_to_sign', 'offering'] as const)('are declined in the status %s', async (status) => {
      const document = await given.shop.documents.issues(bob, {
        [status === 'offering' ? 'requires_acceptance' : 'requires_signature']: true,
      });

      expect(await bob.documents.declines(document)).toMatchObject({ status: 'ended' });
      expect((await eventsOf(document)).at(-1)).toEqual(
        statusChanged(document.id, { status: 'ended', action: 'cancelled', cancel_effective_date: today() }),
      );
      await expect(bob.documents.declines(document)).rejects.toEqual(refused('documents.transition_invalid', 409));
    });

    it('are cancelled with effect from today', async () => {
      const document = await given.shop.documents.issues(bob, CANCELLABLE);

      expect(await bob.documents.cancels(document, '2020-01-01')).toMatchObject({ status: 'ended', cancel_effective_date: today() });
      expect((await eventsOf(document)).at(-1)).toEqual(
        statusChanged(document.id, { status: 'ended', action: 'cancelled', cancel_effective_date: today() }),
      );
    });

    it('are cancelled with effect from a later day, and end on that day', async () => {
      const document = await given.shop.documents.issues(bob, CANCELLABLE);
      const day = dayAfter(2);

      expect(await bob.documents.cancels(document, day)).toMatchObject({ status: 'active_but_ending', cancel_effective_date: day });
      expect((await eventsOf(document)).at(-1)).toEqual(
        statusChanged(document.id, { status: 'active_but_ending', action: 'cancelled', cancel_effective_date: day }),
      );
      await expect(bob.documents.cancels(document)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await given.world.passes({ hours: 48 });
      await Promise.all([given.shop.getsToken(), bob.signsIn(), given.ana.signsIn()]);

      await comesTrue(async () => expect(await given.shop.documents.reads(document)).toMatchObject({ status: 'ended' }));
      expect((await kindsOf(document)).at(-1)).toBe('document_updated');
    });

    it('refuse acts that their kind, status or file does not allow', async () => {
      const bound = await given.shop.documents.issues(bob, CONTRACT);
      await expect(bob.documents.cancels(bound)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await expect(bob.documents.accepts(bound)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await expect(bob.documents.declines(bound)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await expect(bob.documents.declines(await broadcasts())).rejects.toEqual(refused('documents.transition_invalid', 409));
      const hours = await creates({ name: 'Hours', payload_kind: 'json', value: '{}', metadata: CANCELLABLE.metadata });
      await expect(bob.documents.cancels(hours)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await expect(
        bob.documents.cancels(await given.shop.documents.issues(bob, { ...CANCELLABLE, requires_signature: true })),
      ).rejects.toEqual(refused('documents.transition_invalid', 409));
      const file = { otk: Buffer.alloc(32).toString('base64'), file: Buffer.alloc(40).toString('base64') };
      const accepts = ({ id }: { id: string }, body: object) => bob.asks(appDocuments.acceptDocument, { params: { id }, body });
      const offer = await creates({
        name: 'Offer',
        payload_kind: 'file',
        requires_acceptance: true,
        plain_sha256: SHA256,
        target: { connection_id: own.id },
        file: await sealed(bob),
      });
      await expect(accepts(offer, {})).rejects.toEqual(refused('request.invalid', 400));
      await expect(accepts(offer, file)).rejects.toEqual(refused('documents.file_invalid', 400));
      const said = await given.shop.documents.issues(bob, { requires_acceptance: true });
      await expect(accepts(said, file)).rejects.toEqual(refused('request.invalid', 400));
      expect(await bob.documents.reads(offer)).toMatchObject({ status: 'offering', signatures: [] });
    });

    it('refuse an act or a list with invalid parameters', async () => {
      const { id } = await given.shop.documents.issues(bob, { ...CANCELLABLE, requires_acceptance: true });
      const reason = { reason: 'too dear' } as never;

      await expect(bob.documents.list({ limit: 0 })).rejects.toEqual(refused('request.invalid', 400));
      await expect(bob.documents.cancels({ id }, 'tomorrow')).rejects.toEqual(refused('request.invalid', 400));
      await expect(bob.asks(appDocuments.declineDocument, { params: { id }, body: reason })).rejects.toEqual(
        refused('request.invalid', 400),
      );
      expect(await bob.documents.reads({ id })).toMatchObject({ status: 'offering' });
    });

    it('are not found by another person', async () => {
      const document = await given.shop.documents.issues(bob, { requires_acceptance: true });

      for (const act of ['reads', 'fetches', 'accepts', 'declines', 'cancels'] as const) {
        await expect(given.ana.documents[act](document)).rejects.toEqual(refused('documents.not_found', 404));
      }
      expect(await given.ana.documents.list({ connection_id: own.id })).toEqual([]);
    });

    it('prevent the end of a connection while an agreement is active, and end together with it', async () => {
      const { person: cleo, connection: hers } = await connected(region);
      const contract = await given.shop.documents.issues(cleo, { kind: 'subscription' });
      const offer = await given.shop.documents.issues(cleo, { requires_acceptance: true });
      await given.world.automation.getsToken();
      const inForce = refused('company_connections.active_contract', 409);

      await expect(cleo.connections.disconnects(hers)).rejects.toEqual(inForce);
      await expect(given.shop.asks(connections.endConnection, { params: { connectionId: hers.id } })).rejects.toEqual(inForce);
      await expect(given.world.automation.asks(services.deleteService, { params: { id: given.shop.service_id! } })).rejects.toEqual(
        inForce,
      );
      expect(await cleo.asks(customer.readCustomerConnection, { params: { connectionId: hers.id } })).toMatchObject({ id: hers.id });

      await given.shop.documents.changes(contract, { status: 'active_but_ending', cancel_effective_date: dayAfter(9) });
      await expect(cleo.connections.disconnects(hers)).rejects.toEqual(inForce);
      await given.shop.documents.changes(contract, { status: 'ended' });
      await cleo.connections.disconnects(hers);

      expect(await given.shop.documents.reads(offer)).toMatchObject({ status: 'ended' });
      expect((await kindsOf(offer)).at(-1)).toBe('document_updated');
      expect(await cleo.documents.reads(contract)).toMatchObject({ id: contract.id, status: 'ended' });
      const received = (await cleo.documents.list()).map(({ id }) => id); // both were created at the same moment, so they are in any order
      expect(received.toSorted()).toEqual([offer.id, contract.id].toSorted());
      await expect(given.shop.documents.issues(cleo)).rejects.toEqual(refused('company_data.connection_not_found', 404));
    });

    const statusChanged = (document_id: string, said: object) => ({
      event: 'document_status_changed',
      person_user_id: bob.user_id,
      share_code: bob.share_code,
      at: given.world.now.toISOString(),
      document_id,
      method: null,
      content_sha256: null,
      signed_at: null,
      cancel_effective_date: null,
      sealed_at: null,
      plain_sha256: null,
      signer_first_name: null,
      signer_last_name: null,
      signer_name_verified: null,
      ...said,
    });
    const signer = () => ({ signer_first_name: bob.display_name, signer_last_name: '', signer_name_verified: false });
    const acceptance = () => ({
      action: 'accepted',
      method: null,
      content_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      plain_sha256: null,
      ...signer(),
      created_at: given.world.now.toISOString(),
    });
  });

  describe('state table @spec D1-3.3', () => {
    const ACTS = {
      sign: (document: { id: string }) => given.ana.documents.signs(document),
      accept: (document: { id: string }) => given.ana.documents.accepts(document),
      decline: (document: { id: string }) => given.ana.documents.declines(document),
      'cancel for later': (document: { id: string }) => given.ana.documents.cancels(document, dayAfter(9)),
      'cancel for today': (document: { id: string }) => given.ana.documents.cancels(document, today()),
    };
    const MOVES: Readonly<Record<string, Partial<Record<keyof typeof ACTS, string>>>> = {
      ready_to_sign: { sign: 'active', decline: 'ended' },
      offering: { accept: 'active', decline: 'ended' },
      active: { 'cancel for later': 'active_but_ending', 'cancel for today': 'ended' },
      active_but_ending: {},
      ended: {},
    };

    it.each(Object.keys(MOVES))('%s', async (status) => {
      const names = Object.keys(ACTS) as (keyof typeof ACTS)[];
      const document = await holds(status, CANCELLABLE);
      for (const refusedAct of names.filter((name) => !MOVES[status]![name]))
        await expect(ACTS[refusedAct](document)).rejects.toEqual(refused('documents.transition_invalid', 409));
      expect(await given.shop.documents.reads(document)).toEqual(document);

      for (const act of names.filter((name) => MOVES[status]![name])) {
        const moved = await holds(status, CANCELLABLE);
        expect(await ACTS[act](moved)).toMatchObject({ status: MOVES[status]![act] });
        expect((await kindsOf(moved)).at(-1)).toBe('document_status_changed');
      }
    });
  });
}

import { services } from '@codase/contracts';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { envelopeOf } from '@codase/actors';
import { many, sql } from '@codase/runtime/db';
import { ownerSide, pdfThatShows, serviceSide, type Backend, type Company } from '@codase/testing';
import { MovingWorld } from '../../support/moving-world.ts';
import { EMPTY } from '../../support/platform-internals.ts';
import {
  contractSignedBy,
  idOf,
  leaseFilledBy,
  openedPdf,
  RunDocumentsWorld,
  signatureOf,
  tagsLeft,
  VALUES,
  type PlayedContract,
} from './run-documents-world.ts';

const BOTH_SIGN = contractSignedBy([
  { party: 'customer', action: 'sign' },
  { party: 'company', action: 'sign' },
]);

describe('the run documents of a company that moves @spec D1-5.6 @spec D2-4.3', () => {
  let moving: MovingWorld;
  let at: RunDocumentsWorld;
  let acme: Company;
  let shop: Backend;
  let signing: Awaited<ReturnType<RunDocumentsWorld['signing']>>;
  let generating: PlayedContract;
  const otk = createOneTimeKey();
  let input: string;
  beforeAll(async () => {
    moving = await MovingWorld.open();
    ({ acme, shop } = moving.world);
    at = await RunDocumentsWorld.in(moving.world);
    signing = await at.signing(await at.publishes(BOTH_SIGN));
    const lease = pdfThatShows('A lease for {{order_number}}.');
    generating = await at.atLeaf(await at.publishes(leaseFilledBy('company')), { region: 'us', lease });
    const value = await sealBox(otk, envelopeOf(lease));
    ({ input } = await serviceSide(shop).uploadInput(generating.run.id, { source_key: 'field:lease', value }));
  });
  afterAll(() => moving?.close());

  const moves = async (region: 'eu' | 'us') => {
    await moving.moves(acme, region);
    await moving.arrives(acme);
    await Promise.all([shop.getsToken(), moving.world.automation.getsToken(), acme.signsIn()]);
  };

  it('move with the inputs that wait, and leave nothing behind', async () => {
    const before = await moving.internals.holdings('eu', acme.user_id);

    await moves('us');

    expect(await moving.internals.holdings('us', acme.user_id)).toEqual(before);
    expect(before).toMatchObject({ document: { rows: 2 }, document_content: { rows: 2 }, flow_run_input: { rows: 1 } });
    for (const left of Object.values(await moving.internals.holdings('eu', acme.user_id))) expect(left).toEqual(EMPTY);
  });

  it('can be signed by both sides in the new region', async () => {
    const { run, person, made, pdf, flow: flowId } = signing;
    const owner = ownerSide(moving.world.automation, { id: shop.service_id!, flowId });

    expect(await person.documents.signs(idOf(made, 'customer'), pdf)).toMatchObject({ status: 'active' });
    const sealed = await owner.outputs.sign(run.id, 'contract', await signatureOf(pdf));

    expect(sealed).toMatchObject({ status: 'active', sealed_at: moving.world.now.toISOString() });
    expect(await shop.flows.reads(run)).toMatchObject({ status: 'completed' });
    const own = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    expect(own.subarray(0, pdf.length)).toEqual(pdf);
  });

  it('can be generated in the new region from an input that was uploaded before the move', async () => {
    const { run, person } = generating;
    const given = { otk, values: await sealBox(otk, Buffer.from(JSON.stringify(VALUES))), inputs: [{ source_key: 'field:lease', input }] };

    const made = await serviceSide(shop).generate(run.id, given);

    expect(tagsLeft(await openedPdf(person, await person.documents.fetches(idOf(made, 'customer'))))).toEqual([]);
    const inUs = moving.internals.database('region_us');
    expect(await many(inUs, sql`select from flow_run_content where file_id = ${input}`)).toEqual([]);
    await shop.flows.declinesOutput(run, 'contract');
    expect(await shop.flows.reads(run)).toMatchObject({ status: 'cancelled' });
  });

  it('move back after their service is deleted, and the person can still read them', async () => {
    const { made, person, pdf } = signing;
    for (const party of ['customer', 'company']) await shop.documents.changes(idOf(made, party), { status: 'ended' });
    await acme.asks(services.deleteService, { params: { id: shop.service_id! } });
    const before = await moving.internals.holdings('us', acme.user_id);

    await moving.moves(acme, 'eu');
    await moving.arrives(acme);

    expect(await moving.internals.holdings('eu', acme.user_id)).toEqual(before);
    expect(before).toMatchObject({ service: EMPTY, document: { rows: 4 }, flow_run: { rows: 2 } });
    const own = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    expect(own.subarray(0, pdf.length)).toEqual(pdf);
    expect(await person.documents.reads(idOf(made, 'customer'))).toMatchObject({ status: 'ended', signatures: [{ action: 'signed' }] });
  });
});

import { documents } from '@codase/contracts';
import { verify } from '@codase/pdf';
import { execute, many, one, sql } from '@codase/runtime/db';
import { eventually, World, type Person } from '@codase/testing';
import type { IssuedDocument } from '@codase/actors';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { DataSource } from 'typeorm';
import { refused } from '../../sharing/connections/connections-world.ts';
import { startAuthority, type Answer } from '@codase/testing/timestamp-authority';

const PDF = readFileSync('libs/pdf/test/fixtures/producers/reportlab.pdf');

/**
 * Steps of an act. At each, a trigger holds the first act that comes there, and lets others pass: the sealed PDF is stored for the
 * recipient and not yet for the company, the signature is written, everything is written, the commit has begun.
 */
const STEPS = [
  ['stored for one', 'before insert on document_content', '(select count(*) from document_content where document_id is null) = 1'],
  ['signed', 'after insert on document_signature', 'true'],
  ['announced', 'after insert on feed_event', "new.body ->> 'event' = 'document_status_changed'"],
  ['committing', 'after insert on document_signature deferrable initially deferred', 'true'],
] as const;
const CLASS = 4711;

/** Sends an answer that never ends by itself. */
function drips(response: ServerResponse): undefined {
  response.writeHead(200, { 'content-type': 'application/timestamp-reply' });
  const dripping = setInterval(() => response.write(Buffer.from([0x30])), 100);
  response.once('close', () => clearInterval(dripping));
}

const stopping = ([step, , when]: (typeof STEPS)[number], nth: number) => `
  create function stop_${nth}() returns trigger language plpgsql as $$
  begin
    if exists (select from crash_stop) and (${when}) and pg_try_advisory_xact_lock(${CLASS}, ${nth}) then
      while exists (select from crash_stop) loop perform pg_sleep(0.02); end loop; -- '${step}'
    end if;
    return new;
  end $$`;
const trigger = ([, event]: (typeof STEPS)[number], nth: number) =>
  `create ${event.includes('deferr') ? 'constraint ' : ''}trigger stop_${nth} ${event} for each row execute function stop_${nth}()`;

describe('a region that is killed while documents are signed @spec D1-2.12', () => {
  let world: World;
  let db: DataSource;
  let ana: Person;
  let authority: Awaited<ReturnType<typeof startAuthority>>;
  let answer: Answer = (query, stamp) => stamp(query);
  beforeAll(async () => {
    authority = await startAuthority((...request) => answer(...request));
    world = await World.open({ processes: ['region-eu'], units: ['front-door'] });
    await world.starts('region-eu', { TIMESTAMP_URL: authority.url, TIMESTAMP_SECONDS: '4' });
    db = await world.opensDatabase('region_eu', { role: 'owner' });
    ana = await world.signsUp({ type: 'person', region: 'eu' });
    await ana.connections.connects('ACME/SHOP');
  });
  afterAll(async () => {
    await world?.close();
    await authority?.stop();
  });

  const sealing = async () =>
    ((await (await fetch(`${world.opsUrl('region-eu')}/readyz`)).json()) as { checks: { sealing: string } }).checks.sealing;
  /** What an act has left on a document: nothing, or all of it. */
  const tracesOf = async ({ id }: IssuedDocument) => {
    const { status, sealed_at, signatures } = await world.shop.documents.reads({ id });
    const events = await many(
      db,
      sql`select from feed_event where body ->> 'document_id' = ${id} and body ->> 'event' = 'document_status_changed'`,
    );
    const audited = await many(db, sql`select from audit.entry where object = ${id} and act = 'document.signed'`);
    const readers = await many<{ reader: string }>(db, sql`select reader from document_content where document_id = ${id} order by reader`);
    return {
      status,
      isSealed: sealed_at !== null,
      signatures: signatures.length,
      events: events.length,
      audited: audited.length,
      readers: readers.map(({ reader }) => reader),
    };
  };
  const NEITHER = { status: 'ready_to_sign', isSealed: false, signatures: 0, events: 0, audited: 0, readers: ['recipient'] };
  const BOTH = { status: 'active', isSealed: true, signatures: 1, events: 1, audited: 1, readers: ['company', 'recipient'] };

  const certificates = async () =>
    (await many<{ certificate_pem: string }>(db, sql`select certificate_pem from seal_certificate`)).map(
      ({ certificate_pem }) => new X509Certificate(certificate_pem),
    );
  const sealedPdf = async (holder: { opens(wrapper: string): Promise<string> }, payload: unknown) => {
    const { file } = JSON.parse(await holder.opens((payload as { value: string }).value)) as { file: string };
    return Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
  };
  const isHeld = async (nth: number) =>
    one(db, sql`select 1 from pg_locks where locktype = 'advisory' and classid = ${CLASS} and objid = ${nth} and granted`);

  it('leaves both the signature and the seal or neither of them, at whichever step it is killed', async () => {
    await ana.documents.signs(await world.shop.documents.issuesPdf(ana, PDF), PDF); // the first seal is slow: it reads fonts
    await execute(db, sql`create table crash_stop (step int)`);
    await execute(db, sql`grant select on crash_stop to public`);
    await execute(db, sql`insert into crash_stop values (1)`);
    for (const [nth, step] of STEPS.entries()) {
      await db.query(stopping(step, nth));
      await db.query(trigger(step, nth));
    }
    const leases: IssuedDocument[] = [];
    for (let nth = 0; nth <= STEPS.length; nth++) leases.push(await world.shop.documents.issuesPdf(ana, PDF));
    const signs = (lease: IssuedDocument) => ana.documents.signs(lease, PDF).catch(() => 'cut off' as const);

    const acts: Promise<unknown>[] = [];
    for (const nth of STEPS.keys()) {
      acts.push(signs(leases[nth]!));
      await eventually(() => isHeld(nth));
    }
    const requested = new Promise<void>((resolve) => {
      answer = async () => void resolve(); // the authority does not answer, so the seal is not made
    });
    acts.push(signs(leases.at(-1)!));
    await requested;
    await world.kill('region-eu');
    expect(await Promise.all(acts)).toEqual(leases.map(() => 'cut off'));
    await execute(db, sql`delete from crash_stop`); // statements that Postgres got before the kill go on
    answer = (query, stamp) => stamp(query);
    await eventually(async () => ((await Promise.all([...STEPS.keys()].map(isHeld))).some(Boolean) ? undefined : true));
    await world.comesBack('region-eu');

    const found = await Promise.all(leases.map(tracesOf));
    expect(found).toEqual([NEITHER, NEITHER, NEITHER, BOTH, NEITHER]);
    for (const [nth, lease] of leases.entries()) if (found[nth]!.status !== 'active') await ana.documents.signs(lease, PDF);
    for (const lease of leases) {
      expect(await tracesOf(lease)).toEqual(BOTH);
      const own = await sealedPdf(ana, await ana.documents.fetches(lease));
      const companys = await sealedPdf(world.shop, await world.shop.asks(documents.readDocumentFile, { params: { id: lease.id } }));
      expect(companys.equals(own)).toBe(true);
      const { verdict, signatures } = verify(own, { certificates: await certificates() });
      expect([verdict, signatures[0]!.timestamp?.certificate.subject]).toEqual(['sealed', 'CN=Test timestamps, O=Tests']);
    }
  });

  it.each<[string, Answer]>([
    ['fails', async (_, __, response) => void response.writeHead(503).end()],
    ['answers rubbish', async () => Buffer.from('<html>')],
    ['breaks off', async (_, __, response) => void response.destroy()],
    ['answers more than a token', async () => Buffer.alloc(1024 * 1024)],
    ['is silent', async () => undefined],
    ['sends a byte now and then', async (_, __, response) => drips(response)],
  ])('seals nothing, stores nothing and reports it while the timestamp authority %s', async (_, answering) => {
    const lease = await world.shop.documents.issuesPdf(ana, PDF);
    answer = answering;

    await expect(ana.documents.signs(lease, PDF)).rejects.toEqual(refused('documents.seal_failed', 503));

    expect(await world.shop.documents.reads(lease)).toEqual(lease);
    expect(await sealing()).toMatch(/^ok, but nothing can be signed: /);
    answer = (query, stamp) => stamp(query);
    expect(await ana.documents.signs(lease, PDF)).toMatchObject({ status: 'active' });
    expect(await sealing()).toBe('ok');
  });

  it('deletes the sealed copies that no signature used', async () => {
    const left = async () => (await many(db, sql`select from document_content where document_id is null`)).length;
    expect(await left()).toBeGreaterThan(0);

    await world.passes({ hours: 2 });

    await eventually(async () => ((await left()) === 0 ? true : undefined));
  });
});

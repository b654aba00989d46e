import { randomBytes } from 'node:crypto';
import { connect, type CodaseClient, type LoginResult, type Raised } from '@codase/client';
import {
  appDocuments,
  connections,
  customer,
  customerRuns,
  documents,
  feed,
  plugins,
  runs,
  services,
  webhooks,
  type Run,
  type Sealed,
} from '@codase/contracts';
import { createOneTimeKey, sealBox, sha256Hex } from '@codase/crypto';
import { openLog } from '@codase/runtime/telemetry';
import { temporaryFolder } from '@codase/servers/temporary-folder';
import { DATABASES } from '@codase/stack';
import { eventually, everyRow, BusRecorder, WebhookReceiver, World, type OwnConnection, type Person } from '@codase/testing';
import { flowOf, inOrder, optional, stepOf, text } from '@codase/testing/flow-definition';
import { asksFor, MAIL } from './asks-for.ts';
import { inMemoryInbox } from './in-memory-inbox.ts';
import { takesDeliveries } from './webhook-channel.ts';

/** The beginning of every plaintext of the story, and of nothing else. */
export const STEM = `mark${randomBytes(12).toString('hex')}`;
/** The beginning of what the cards of logins show. */
export const CONTEXT_STEM = `login${randomBytes(12).toString('hex')}`;
/** The beginning of what is sent to everybody. */
export const BROADCAST_STEM = `broadcast${randomBytes(12).toString('hex')}`;
const EDITS = 4;
const FIELDS = [
  { slug: 'name', label: 'Your name', type: 'text' },
  MAIL,
  { slug: 'born', label: 'Where you were born', type: 'text', one_time: true },
  { slug: 'scan', label: 'A scan', type: 'document', one_time: true },
];

const markedFlow = (account: object) =>
  flowOf(
    [
      stepOf<object, object>('customer', 'ask', 'Ask', [
        optional('wish', 'text'),
        optional('paper', 'document'),
        text('Hello {{customer.name}}'),
      ]),
      stepOf<object, object>('company', 'decide', 'Decide', [
        optional('verdict', 'text'),
        optional('amount', 'integer'),
        optional('proof', 'document'),
        { kind: 'plugin', slug: 'account', label: 'Account', required: false, plugin: account },
      ]),
      stepOf<object, object>('customer', 'reply', 'Reply', [optional('reply', 'text')]),
    ],
    inOrder('ask', 'decide', 'reply'),
  );

/**
 * People who share marked values with a service. The service takes its events by one channel and then by the other, and opens every value
 * in them.
 */
export class MarkedStory {
  /** The plaintexts that were opened. */
  readonly opened: string[] = [];
  /** The log lines of the service that handles the events. */
  readonly lines: string[] = [];
  /** The rows of each database while a login waited. */
  readonly whilePending = new Map<string, string>();
  /** The digits of logins. */
  readonly digits: string[] = [];
  /** The logs of processes that have ended. */
  readonly earlier: string[] = [];
  /** The keys, each used once, under which PDFs were sent to be signed. */
  readonly oneTimeKeys: string[] = [];
  /** What was sent to everybody, as people read it. */
  readonly broadcasts: string[] = [];
  private readonly people: Person[];
  private backend!: CodaseClient;
  private openRun: Run | undefined;

  private constructor(
    readonly world: World,
    readonly receiver: WebhookReceiver,
    readonly platform: BusRecorder,
    readonly suite: BusRecorder,
    /** The folder in which services would put temporary files. */
    private readonly temporary: ReturnType<typeof temporaryFolder>,
  ) {
    this.people = ['ANA', 'BEN', 'CHIARA'].map((code) => world.person(code));
  }

  static async open(): Promise<MarkedStory> {
    const temporary = temporaryFolder('marked');
    const world = await World.open({ processes: 'many', traces: true, temporaryFolder: temporary.path });
    const [platform, suite] = [
      await BusRecorder.begin(...(await world.observers('platform'))),
      await BusRecorder.begin(...(await world.observers('suite'))),
    ];
    const story = new MarkedStory(world, await WebhookReceiver.open(), platform, suite, temporary);
    const log = openLog('shop-backend', { write: (line) => void story.lines.push(line) });
    story.backend = await connect({ ...world.internalAddress, service: 'shop', gateway: world.gatewayHttp, log });
    return story;
  }

  async close(): Promise<void> {
    await this.backend.close();
    await this.receiver.close();
    await this.world.close();
    this.temporary.remove();
  }

  get temporaryFolder(): string {
    return this.temporary.path;
  }

  async happens(): Promise<void> {
    await this.handles();
    await asksFor(this.world, FIELDS);
    const connected = await Promise.all(this.people.map((person) => this.connects(person)));
    await this.edits('drained');
    await this.writes(connected, 'drained');
    await this.takesDeliveries();
    await this.edits('delivered');
    await this.writes(connected, 'delivered');
    for (const connection of connected) await this.downloads(connection);
    await this.signsContracts();
    await this.sendsThroughSuite(this.people[2]!, connected[2]!);
    await this.sendsToEverybody();
    await this.playsRuns(connected);
    await this.goesWrong(connected[0]!);
    await this.answersInTheClear(connected[0]!);
    await this.approvesLogins();
  }

  /** Of three logins one is approved with its digits, one denied and one revoked; others are refused for what they show. */
  private async approvesLogins(): Promise<void> {
    const { world, people } = this;
    const [ana] = people as [Person];
    const { shop } = world;
    const params = { serviceId: shop.service_id! };
    await world.automation.asks(services.changeNumberMatching, { params, body: { number_matching: true } });
    await ana.phone.enrols(shop);
    const raises = (nth: number, key = `login-${nth}`) => shop.challenges.raises(ana, { key, context: `${CONTEXT_STEM} ${nth}` });
    const [approved, denied, revoked] = [await raises(1), await raises(2), await raises(3)];
    const refusals = [raises(4, 'login-1'), raises(5), shop.challenges.raises(ana, { context: CONTEXT_STEM.repeat(20) })];
    const met = await Promise.allSettled(refusals);
    if (met.some(({ status }) => status === 'fulfilled')) throw new Error('a login was raised that had to be refused');
    await ana.phone.cards();
    await ana.phone.approves(approved, { digits: approved.matching_digits });
    await ana.phone.denies(denied);
    await this.approvesAtTwofa(ana);
    await ana.phone.revokes(params.serviceId);
    for (const challenge of [approved, denied, revoked]) await shop.challenges.polls(challenge);
  }

  /** Two logins of an internal service: the person types the right digits for one and wrong digits for the other. */
  private async approvesAtTwofa(ana: Person): Promise<void> {
    for (const isRight of [true, false]) {
      const key = `twofa-${isRight}`;
      const raised = await new Promise<Raised & { ended: Promise<LoginResult> }>((resolve, reject) => {
        const request = { share_code: ana.share_code, context: `${CONTEXT_STEM} ${key}`, key };
        const ended = this.backend.challenge(request, { onRaised: (reported) => resolve({ ...reported, ended }) });
        ended.catch(reject);
      });
      this.digits.push(raised.matching_digits!);
      for (const name of DATABASES) this.whilePending.set(name, await everyRow(this.world.databaseUrl(name)));
      const typed = isRight ? raised.matching_digits! : String(99 - Number(raised.matching_digits)).padStart(2, '0');
      await ana.phone.approves(raised, { digits: typed });
      const { approved } = await raised.ended;
      if (approved !== isRight) throw new Error(`a login with the ${isRight ? 'right' : 'wrong'} digits ended otherwise`);
    }
  }

  /** The least number of values that are to be opened. */
  get edited(): number {
    return this.people.length * EDITS * 2;
  }

  /** Opens the values of events, and sometimes fails with an error that quotes plaintext. */
  private async handles(): Promise<void> {
    await this.backend.handle(
      'customers',
      inMemoryInbox(),
      {
        connection_created: () => {
          throw new Error(`no room for ${STEM}`);
        },
        message_received: async (event, { open }) => {
          this.opened.push((await open({ value: event.body })).plaintext);
          await this.backend.messages.send(event, `${STEM} answer`, { key: event.message_id });
          await this.backend.messages.acknowledge(event);
        },
        field_updated: async ({ value }, { open }) =>
          void this.opened.push((await open({ value: value as Sealed, field_type: 'email' })).plaintext),
      },
      { backoffMs: [10] },
    );
  }

  private async connects(person: Person): Promise<OwnConnection> {
    await person.fields.edits('first_name', `${STEM} ${person.share_code}`);
    await person.fields.edits('email', `${STEM}.first@person.example`);
    const scan = JSON.stringify({
      file: `data:application/pdf;base64,${Buffer.from(`%PDF ${STEM} `.repeat(500)).toString('base64')}`,
      original_name: STEM,
    });
    return person.connections.connects('ACME/SHOP', {
      name: { text: `${STEM} ${person.share_code}`, from: 'first_name' },
      mail: { text: `${STEM}.first@person.example`, from: 'email' },
      born: { text: `${STEM} town`, live: false },
      scan: { text: scan, live: false },
    });
  }

  /** Every person edits a field, and the service opens the new values. */
  private async edits(how: string): Promise<void> {
    const expected = this.opened.length + this.people.length * EDITS;
    await Promise.all(
      this.people.map(async (person) => {
        for (let nth = 0; nth < EDITS; nth++) await person.fields.edits('email', `${STEM}.${how}.${nth}@person.example`);
      }),
    );
    await eventually(async () => (this.opened.length >= expected ? true : undefined));
  }

  /** Every person writes to the service, which opens the message and answers. */
  private async writes(connected: readonly OwnConnection[], how: string): Promise<void> {
    await Promise.all(
      this.people.map(async (person, nth) => {
        await person.messages.writes(connected[nth]!, `${STEM} ${how} question`);
        const answer = await eventually(async () => (await person.messages.lists(connected[nth]!)).find(({ from }) => from === 'company'));
        this.opened.push(await person.opens(answer.body));
      }),
    );
  }

  /** From now on the events come as deliveries. A second endpoint gets them without an envelope. */
  private async takesDeliveries(): Promise<void> {
    await this.world.acme.asks(webhooks.createWebhook, {
      params: { id: this.world.shop.service_id! },
      body: { url: this.receiver.url, format: 'xml', auth_type: 'none' },
    });
    this.earlier.push(this.world.logOf('feed-consumer'));
    await takesDeliveries(this.world);
  }

  /** Downloads a file through the gateway's HTTP server, sealed as it is stored, and has the decryptor open it. */
  private async downloads({ id: connectionId }: OwnConnection): Promise<void> {
    const { fields } = await this.backend.request(connections.readConnection, { params: { connectionId } });
    const { service_field_id: serviceFieldId } = fields.find(({ slug }) => slug === 'scan')!;
    const { body } = await this.backend.download(connections.readSlotFile, { params: { connectionId, serviceFieldId } });
    const { value } = (await new Response(body).json()) as { value: Sealed };
    const [opened] = await this.backend.open([{ value }]);
    this.opened.push('plaintext' in opened! ? opened.plaintext : 'unreadable');
  }

  /**
   * Has a contract signed as JSON, and one as a PDF that the platform seals: by a person of the company's region, and by one of another
   * region.
   */
  private async signsContracts(): Promise<void> {
    const { shop } = this.world;
    for (const person of this.people.slice(0, 2)) {
      const terms = await shop.documents.issues(person, { value: JSON.stringify({ terms: STEM }), requires_signature: true });
      await this.signs(person, terms.id, {});
      this.opened.push(await person.opens(valueIn(await person.documents.fetches(terms))));
      const pdf = markedPdf(STEM);
      const lease = await shop.documents.issuesPdf(person, pdf);
      this.opened.push(pdfIn(await person.opens(valueIn(await person.documents.fetches(lease)))));
      await this.signs(person, lease.id, await this.underKey(pdf));
      const copies = [
        await person.opens(valueIn(await person.documents.fetches(lease))),
        await shop.opens(valueIn(await shop.asks(documents.readDocumentFile, { params: { id: lease.id } }))),
      ];
      this.opened.push(...copies.map(pdfIn));
    }
  }

  /** Sends contracts from inside the company, which gets its sealed copy opened and verified. */
  private async sendsThroughSuite(person: Person, { id: connection_id }: OwnConnection): Promise<void> {
    const { documents: sent } = this.backend;
    const pdf = markedPdf(STEM);
    await sent.send({ connection_id }, { name: 'Terms', json: { terms: STEM } });
    const file = { bytes: pdf, name: `${STEM}.pdf`, type: 'application/pdf' };
    const { id } = await sent.send({ connection_id }, { name: 'Lease', requires_signature: true, file });
    await this.signs(person, id, await this.underKey(pdf));
    const copy = await sent.download(id);
    this.opened.push(Buffer.from(copy.file!.bytes).toString('latin1'));
  }

  private signs(person: Person, id: string, file: { otk?: string; file?: string }) {
    const body = { method: 'biometric', signer_first_name: 'Ada', signer_last_name: 'Example', ...file } as const;
    return person.asks(appDocuments.signDocument, { params: { id }, body });
  }

  private async underKey(pdf: Buffer): Promise<{ otk: string; file: string }> {
    const otk = createOneTimeKey();
    this.oneTimeKeys.push(otk);
    return { otk, file: await sealBox(otk, pdf) };
  }

  /** Sends JSON and a file to everybody, in plaintext. People of both regions read them. */
  private async sendsToEverybody(): Promise<void> {
    const { shop } = this.world;
    const text = JSON.stringify({ news: BROADCAST_STEM });
    const bytes = markedPdf(BROADCAST_STEM);
    for (const payload of [{ payload_kind: 'json', value: text } as const, { payload_kind: 'file', file: envelopeOf(bytes) } as const]) {
      const document = await shop.asks(documents.createDocument, { body: { name: 'News', ...payload } });
      for (const person of this.people.slice(0, 2)) this.broadcasts.push(textOf(await person.documents.fetches(document)));
    }
  }

  /** Plays runs with people of both regions. Answers, files and shown values are marked. */
  private async playsRuns(connected: readonly OwnConnection[]): Promise<void> {
    const { acme, shop } = this.world;
    const { id: plugin_id, registry_pass } = await acme.asks(plugins.switchOnBuiltin, { params: { key: 'bank_account' } });
    const { pass, forwarder_url } = registry_pass;
    await this.world.stranger.asks(plugins.refreshPlugin, { body: { pass } }, { at: forwarder_url });
    const flow = markedFlow({ plugin_id, field_type: 'iban', inputs: { country: 'verdict' } });
    const { id } = await acme.flows.publishes(shop.service_id!, flow);
    for (const [nth, person] of this.people.entries()) {
      const connection = connected[nth]!;
      const run = await this.startsRun(id, person, connection);
      const paper = await person.flows.attaches(connection, run, 'paper', JSON.stringify(envelopeOf(markedPdf(STEM))));
      const wish = { text: `${STEM} wish`, source_private: true };
      await person.flows.answers(connection, run, { wish }, { next_node: 'decide' }, [paper]);
      const read = await shop.flows.answers(run, { verdict: `${STEM} verdict` }, { next_node: 'reply' }, [person]);
      await person.flows.answers(connection, run, { reply: `${STEM} reply` }, { leaf: true });
      const texts = read.answers.filter(({ slug }) => slug !== 'paper').map(({ value }) => shop.opens(value));
      const file = await shop.asks(runs.readAnswerFile, { params: { runId: run.id, slug: 'paper' } });
      this.opened.push(...(await Promise.all(texts)), pdfIn(await shop.opens(valueIn(file))));
    }
    await this.playsThroughSuite(id, connected);
    this.openRun = await this.startsRun(id, this.people[0]!, connected[0]!);
  }

  /**
   * Plays the runs with the company's own service, which gives answers that do not fit, fails, and then answers a text, a file and a
   * plugin.
   */
  private async playsThroughSuite(flow: string, connected: readonly OwnConnection[]): Promise<void> {
    const { flows } = this.backend;
    const failures = [
      () => ({ amount: STEM }),
      () => Promise.reject(new Error(`no idea what to do with ${STEM}`)),
      () => ({ account: STEM }),
    ];
    const turns = flows.onTurn(flow, {
      decide: async ({ answers, attempts, file, plugins: questions }) => {
        this.opened.push(String(answers['wish']), (await file('paper')).bytes!.toString('latin1'));
        const failure = attempts === 0 ? failures.shift() : undefined;
        if (failure) return failure();
        const values = { iban: STEM };
        await questions['account']!.outputs({ values, answers: { verdict: STEM } });
        const proof = { bytes: markedPdf(STEM), name: `${STEM}.pdf`, type: 'application/pdf' };
        return { verdict: `${STEM} verdict`, proof, account: { values } };
      },
    });
    await Promise.all(
      this.people.map(async (person, nth) => {
        const connection = connected[nth]!;
        const { flow_run_id: id } = await flows.start(flow, { key: `marked-${nth}`, target: { connection_id: connection.id } });
        const paper = await person.flows.attaches(connection, { id }, 'paper', JSON.stringify(envelopeOf(markedPdf(STEM))));
        await person.flows.answers(connection, { id }, { wish: `${STEM} wish` }, { next_node: 'decide' }, [paper]);
        const read = await eventually(async () => {
          const run = await person.flows.reads(connection, { id });
          return run.current_node === 'reply' ? run : undefined;
        });
        const given = read.answers.filter(({ slug }) => slug === 'verdict' || slug === 'account');
        this.opened.push(...(await Promise.all(given.map(({ value }) => person.opens(value)))));
        await person.flows.answers(connection, { id }, { reply: `${STEM} reply` }, { leaf: true });
      }),
    );
    await turns.stop();
    if (failures.length > 0) throw new Error('not every turn failed once');
  }

  private async startsRun(flow: string, person: Person, { id: connection_id }: OwnConnection): Promise<Run> {
    const { shop } = this.world;
    const shown = async (recipient: { public_key: string }) => ({
      recipient_pubkey_sha256: await sha256Hex(Buffer.from(recipient.public_key, 'base64')),
      public: await shop.sealsFor(recipient, JSON.stringify({ 'customer.name': { v: STEM, t: 'text' } })),
      public_tags: ['customer.name'],
      private: { 'customer.name': await shop.sealsFor(recipient, STEM) },
    });
    const tag_values = { company: await shown(shop), [person.user_id]: await shown(person) };
    return shop.flows.starts(flow, { target: { connection_id }, flow_version: 1, tag_values });
  }

  /** Sends plaintext to a run where a sealed value belongs. Each refusal is apt to quote what it refuses. */
  private async answersInTheClear({ id: connectionId }: OwnConnection): Promise<void> {
    const [ana] = this.people as [Person];
    const { shop } = this.world;
    const { id: runId, flow_id: flowId, bindings } = this.openRun!;
    const copies = (value: string) => Object.values(bindings).map((for_user_id) => ({ for_user_id, value }));
    const submits = (slug: string, values: ReturnType<typeof copies>, next_node = 'decide') =>
      ana.asks(customerRuns.answerCustomerRun, { params: { connectionId, runId }, body: { answers: [{ slug, values }], next_node } });
    const sealed = await ana.sealsFor(shop, STEM);
    const tags = { recipient_pubkey_sha256: STEM, public: STEM, public_tags: [STEM], private: { [STEM]: STEM } };
    const refusals = [
      submits('wish', copies(STEM)),
      submits(STEM, copies(sealed)),
      submits('wish', [{ for_user_id: STEM, value: sealed }]),
      submits('wish', copies(sealed), STEM),
      ana.asks(customerRuns.uploadCustomerAnswerFile, {
        params: { connectionId, runId },
        body: { slug: 'paper', for_user_id: ana.user_id, value: STEM },
      }),
      ana.asks(customerRuns.readCustomerAnswerFile, { params: { connectionId, runId, file: STEM } }),
      shop.asks(runs.stageRunFile, { params: { flowId }, body: { source_user_id: STEM, value: STEM } }),
      shop.flows.starts(flowId, { target: { connection_id: connectionId }, flow_version: 1, tag_values: { [STEM]: tags } }),
    ];
    const met = await Promise.allSettled(refusals);
    if (met.some(({ status }) => status === 'fulfilled')) throw new Error('a run took clear text where a sealed value belongs');
  }

  /** Sends plaintext where a sealed value belongs, to places whose errors are apt to quote it. */
  private async goesWrong({ id: connectionId }: OwnConnection): Promise<void> {
    const [ana, ben] = this.people as [Person, Person];
    const { shop } = this.world;
    const damaged = Buffer.from(`%PDF-1.7\n${STEM} 0 obj\ntrailer << /Root ${STEM} >>\nstartxref\n9\n%%EOF\n`);
    const leases = await Promise.all([ana, ben].map((person) => shop.documents.issuesPdf(person, damaged)));
    const target = { person_user_id: ana.user_id };
    const long = `${STEM} `.repeat(1000);
    const refusals = [
      ...[ana, ben].map(async (person, nth) => this.signs(person, leases[nth]!.id, await this.underKey(damaged))),
      ...[ana, ben].map(async (person, nth) => this.signs(person, leases[nth]!.id, await this.underKey(markedPdf(`${STEM} another`)))),
      this.signs(ana, leases[0]!.id, { otk: STEM, file: STEM }),
      this.signs(ana, STEM, {}),
      ana.documents.cancels(leases[0]!, STEM),
      shop.asks(documents.createDocument, { body: { name: 'Offer', payload_kind: 'json', target, value: STEM } }),
      shop.asks(documents.createDocument, { body: { name: 'Offer', payload_kind: 'file', target, file: envelopeOf(markedPdf(STEM)) } }),
      shop.asks(documents.createDocument, { body: { name: 'Offer', payload_kind: 'file', target, file: envelopeOf(markedPdf(long)) } }),
      shop.asks(documents.createDocument, { body: { name: 'News', payload_kind: 'json', value: `not JSON ${STEM}` } }),
      ...[STEM, long].map((text) =>
        shop.asks(documents.replaceDocumentFile, { params: { id: leases[0]!.id }, body: { file: envelopeOf(markedPdf(text)) } }),
      ),
      ana.asks(customer.changeCustomerConnection, {
        params: { connectionId },
        body: { values: [{ slug: 'born', value: `${STEM} town` }] },
      }),
      ana.asks(customer.readCustomerConnection, { params: { connectionId: STEM } }),
      ana.messages.sends(connectionId, `${STEM} question`),
      this.world.shop.messages.sends(connectionId, `${STEM} answer`),
      this.world.shop.messages.broadcasts([{ connection_id: connectionId, body: STEM }]),
      this.world.shop.asks(feed.drainChanges, { query: { webhook_id: STEM } }),
      fetch(this.world.hookUrl('shop'), { method: 'POST', body: STEM }).then((answer) =>
        answer.ok ? answer : Promise.reject(new Error(String(answer.status))),
      ),
    ];
    const met = await Promise.allSettled(refusals);
    if (met.some(({ status }) => status === 'fulfilled')) throw new Error('clear text was taken where a sealed value belongs');
  }
}

const envelopeOf = (pdf: Buffer) => ({
  file: `data:application/pdf;base64,${pdf.toString('base64')}`,
  original_name: 'a.pdf',
  mime_type: 'application/pdf',
  size: pdf.length,
});

const valueIn = (answer: unknown): string => (answer as { value: string }).value;
/** The text of a plaintext document, which comes as it is or as bytes. */
function textOf(answer: unknown): string {
  const { bytes } = answer as { bytes?: Uint8Array };
  return bytes ? Buffer.from(bytes).toString('latin1') : JSON.stringify(answer);
}

function pdfIn(envelope: string): string {
  const { file } = JSON.parse(envelope) as { file: string };
  return Buffer.from(file.slice(file.indexOf(',') + 1), 'base64').toString('latin1');
}

/** A PDF of one empty page with a text in it, uncompressed. */
function markedPdf(text: string): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /Marked (${text}) >>`,
  ];
  let pdf = '%PDF-1.7\n';
  const rows = objects.map((object, nth) => {
    const row = `${String(pdf.length).padStart(10, '0')} 00000 n\r\n`;
    pdf += `${nth + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const table = `xref\n0 4\n0000000000 65535 f\r\n${rows.join('')}trailer\n<< /Size 4 /Root 1 0 R >>\n`;
  return Buffer.from(`${pdf}${table}startxref\n${pdf.length}\n%%EOF\n`, 'latin1');
}

import { randomBytes } from 'node:crypto';
import { connect, type CdsClient, type LoginResult, type Raised } from '@cds/client';
import { connections, customer, feed, services, webhooks, type Sealed } from '@cds/contracts';
import { openLog } from '@cds/runtime/telemetry';
import { DATABASES } from '@cds/stack';
import { eventually, everyRow, Overheard, WebhookReceiver, World, type OwnConnection, type Person } from '@cds/testing';
import { asksFor, MAIL } from './asks-for.ts';
import { inMemoryInbox } from './in-memory-inbox.ts';
import { takesDeliveries } from './webhook-channel.ts';

/** Every clear text of the story begins with it, and nothing else does. */
export const STEM = `mark${randomBytes(12).toString('hex')}`;
/** What the cards of logins show begins with it. */
export const CONTEXT_STEM = `login${randomBytes(12).toString('hex')}`;
const EDITS = 4;
const FIELDS = [
  { slug: 'name', label: 'Your name', type: 'text' },
  MAIL,
  { slug: 'born', label: 'Where you were born', type: 'text', one_time: true },
  { slug: 'scan', label: 'A scan', type: 'document', one_time: true },
];

/** People who share marked values with a service, which takes its events by either channel and opens every value it is told. */
export class MarkedStory {
  /** What the decryptor answered. */
  readonly opened: string[] = [];
  /** What the service that handles the events wrote. */
  readonly lines: string[] = [];
  /** The rows of each database while a login waited. */
  readonly whilePending = new Map<string, string>();
  /** The digits of logins. */
  readonly digits: string[] = [];
  /** What a process wrote that is no more. */
  readonly earlier: string[] = [];
  private readonly people: Person[];
  private backend!: CdsClient;

  private constructor(
    readonly world: World,
    readonly receiver: WebhookReceiver,
    readonly platform: Overheard,
    readonly suite: Overheard,
  ) {
    this.people = ['ANA', 'BEN', 'CHIARA'].map((code) => world.person(code));
  }

  static async open(): Promise<MarkedStory> {
    const world = await World.open({ processes: 'many', traces: true });
    const [platform, suite] = [
      await Overheard.begin(...(await world.observers('platform'))),
      await Overheard.begin(...(await world.observers('suite'))),
    ];
    const story = new MarkedStory(world, await WebhookReceiver.open(), platform, suite);
    const log = openLog('shop-backend', { write: (line) => void story.lines.push(line) });
    story.backend = await connect({ ...world.internalAddress, service: 'shop', gateway: world.gatewayDoor, log });
    return story;
  }

  async close(): Promise<void> {
    await this.backend.close();
    await this.receiver.close();
    await this.world.close();
  }

  async happens(): Promise<void> {
    await this.handles();
    await asksFor(this.world, FIELDS);
    const connected = await Promise.all(this.people.map((person) => this.connects(person)));
    await this.edits('drained');
    await this.takesDeliveries();
    await this.edits('delivered');
    for (const connection of connected) await this.downloads(connection);
    await this.goesWrong(connected[0]!);
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

  /** Two logins of an internal service, one with the digits that it was shown and one with others. */
  private async approvesAtTwofa(ana: Person): Promise<void> {
    for (const isRight of [true, false]) {
      const key = `twofa-${isRight}`;
      const raised = await new Promise<Raised & { ended: Promise<LoginResult> }>((resolve, reject) => {
        const request = { share_code: ana.share_code, context: `${CONTEXT_STEM} ${key}`, key };
        const ended = this.backend.challenge(request, { onRaised: (told) => resolve({ ...told, ended }) });
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

  /** How many values there are to open at least. */
  get edited(): number {
    return this.people.length * EDITS * 2;
  }

  /** Opens what it is told of, and at times fails in words that quote it. */
  private async handles(): Promise<void> {
    await this.backend.handle(
      'customers',
      inMemoryInbox(),
      {
        connection_created: () => {
          throw new Error(`no room for ${STEM}`);
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

  /** Everybody edits, and the service opens what it is told. */
  private async edits(how: string): Promise<void> {
    const expected = this.opened.length + this.people.length * EDITS;
    await Promise.all(
      this.people.map(async (person) => {
        for (let nth = 0; nth < EDITS; nth++) await person.fields.edits('email', `${STEM}.${how}.${nth}@person.example`);
      }),
    );
    await eventually(async () => (this.opened.length >= expected ? true : undefined));
  }

  /** From now on the events come as deliveries; a second endpoint gets them outside any envelope. */
  private async takesDeliveries(): Promise<void> {
    await this.world.acme.asks(webhooks.createWebhook, {
      params: { id: this.world.shop.service_id! },
      body: { url: this.receiver.url, format: 'xml', auth_type: 'none' },
    });
    this.earlier.push(this.world.logOf('feed-consumer'));
    await takesDeliveries(this.world);
  }

  /** A file through the gateway's door, as it is stored, and then through the decryptor. */
  private async downloads({ id: connectionId }: OwnConnection): Promise<void> {
    const { fields } = await this.backend.request(connections.readConnection, { params: { connectionId } });
    const { service_field_id: serviceFieldId } = fields.find(({ slug }) => slug === 'scan')!;
    const { body } = await this.backend.download(connections.readSlotFile, { params: { connectionId, serviceFieldId } });
    const { value } = (await new Response(body).json()) as { value: Sealed };
    const [opened] = await this.backend.open([{ value }]);
    this.opened.push('plaintext' in opened! ? opened.plaintext : 'unreadable');
  }

  /** Clear text where a sealed value belongs, in places that are apt to quote what they choke on. */
  private async goesWrong({ id: connectionId }: OwnConnection): Promise<void> {
    const [ana] = this.people as [Person];
    const refusals = [
      ana.asks(customer.changeCustomerConnection, {
        params: { connectionId },
        body: { values: [{ slug: 'born', value: `${STEM} town` }] },
      }),
      ana.asks(customer.readCustomerConnection, { params: { connectionId: STEM } }),
      this.world.shop.asks(feed.drainChanges, { query: { webhook_id: STEM } }),
      fetch(this.world.hookUrl('shop'), { method: 'POST', body: STEM }).then((answer) =>
        answer.ok ? answer : Promise.reject(new Error(String(answer.status))),
      ),
    ];
    const met = await Promise.allSettled(refusals);
    if (met.some(({ status }) => status === 'fulfilled')) throw new Error('clear text was taken where a sealed value belongs');
  }
}

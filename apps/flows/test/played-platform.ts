import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  CALL_FORWARDER,
  connections,
  FEED,
  OpenedQuestion,
  OPEN_VALUES,
  operation,
  READ_SERVICE_KEY,
  Refusal,
  registry,
  runs,
  companyData,
  type Endpoint,
  type Generation,
  type OpenedReply,
  type Request,
  type Run,
  type Sealed,
} from '@codase/contracts';
import { importValuePublicKey, publicKeySha256, sealValue } from '@codase/crypto';
import { importValuePrivateKey, openValue, readPrivateKeyPem } from '@codase/crypto/open';
import { SYSTEM_ROWS } from '@codase/domain/field-types';
import { awaitedParty } from '@codase/domain';
import { makeConsumers, type Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import type { World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { ORDER } from '../src/turns/order-flow.check.ts';
import { PlayedGeneration } from './played-generation.ts';

const [SHOP, ANA] = SERVICE_KEYS;
export const COMPANY = 'usr_acme';
export const CUSTOMER = 'usr_ana';
const AT = '2026-03-02T10:00:00.000Z';

/** A request of any operation. */
interface ReceivedRequest {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}
type Turn = Request<typeof runs.answerRun>['body'];
type NewRun = Request<typeof runs.startRun>['body'] & { idempotency_key?: string };
type Input = Request<typeof runs.uploadGenerationInput>['body'];

/** Plays the gateway with a platform behind it, and the decryptor with the key of the shop. */
export class PlayedPlatform {
  readonly runs = new Map<string, Run>();
  readonly started: NewRun[] = [];
  readonly staged: { source_user_id: string; value: Sealed }[] = [];
  readonly generation = new PlayedGeneration(COMPANY);
  /** The envelopes of files, by the name under which an answer or a run has them. */
  readonly envelopes = new Map<string, string>();
  definition = ORDER;
  version = 3;
  values: Record<string, { value?: string; value_url?: string; live: boolean; updated_at: string }> = {};
  values_private: Record<string, boolean> = {};
  /** Called before and after each start, submit and read. */
  onStart: (body: NewRun) => Promise<void> | void = () => undefined;
  onStarted: () => Promise<void> | void = () => undefined;
  onAnswer: () => Promise<void> | void = () => undefined;
  onAnswered: () => Promise<void> | void = () => undefined;
  onRead: () => Promise<void> | void = () => undefined;
  /** Called after a run was read, before the answer. */
  onHasRead: (id: string) => Promise<void> | void = () => undefined;
  /** Called before the file of a connection is read. */
  onReadFile: () => void = () => undefined;
  onListFlows: (service: string) => Promise<void> | void = () => undefined;
  submits = 0;
  /** Questions to plugins as they were opened, the passes that were given, and how a plugin answers. */
  readonly questions: OpenedQuestion[] = [];
  passes = 0;
  onQuestion: (question: OpenedQuestion, pass: string) => OpenedReply | string = () => ({ outputs: {} });
  /** Called before a pass is given. */
  onPass: () => void = () => undefined;
  /** Called before a question is opened. */
  onForward: (pass: string) => Promise<void> | void = () => undefined;
  published = [{ id: 'flow_order', name: 'Order', version: 3 }];
  /** When set, no value can be opened. */
  isUnreadable = false;
  private made = 0;
  private events = 0;
  private readonly byKey = new Map<string, Promise<string>>();

  private constructor(
    private readonly gateway: Bus,
    private readonly feed: Bus,
  ) {}

  static async open(world: World): Promise<PlayedPlatform> {
    const [gateway, feed, decryptor] = [await world.busAs('gateway'), await world.busAs('feed-consumer'), await world.busAs('decryptor')];
    const platform = new PlayedPlatform(gateway, feed);
    await makeConsumers(feed, FEED.stream!, silentLog);
    await platform.answersAll();
    await decryptor.answer(READ_SERVICE_KEY, {}, () => ({ public_key: SHOP.public_key }));
    await decryptor.answer(OPEN_VALUES, {}, async ({ values }) => ({
      items: await Promise.all(values.map(({ value }) => platform.opens(value))),
    }));
    return platform;
  }

  /** Creates a run that is already at a node. */
  async run(answers: Record<string, string> = { quantity: '3' }, node = 'price_check'): Promise<string> {
    const id = `run_${++this.made}`;
    const base = { id, flow_id: 'flow_order', flow_version: this.version, service_id: 'ser_shop', definition: this.definition };
    this.runs.set(id, {
      ...base,
      ...this.at(node),
      connection_id: 'conn_ana',
      company_user_id: COMPANY,
      bindings: { company: COMPANY, customer: CUSTOMER },
      participants: [
        { party_key: 'customer', person_user_id: CUSTOMER, connection_id: 'conn_ana', documents: [] },
        { party_key: 'company', person_user_id: COMPANY, connection_id: null, documents: [] },
      ],
      output_mode: this.definition.output_mode,
      parties: [],
      answers: [],
      reference_date: '2026-03-02',
      private_slugs: [],
      owner_tag_values: null,
      tag_values: null,
      source_files: {},
    });
    for (const [slug, plaintext] of Object.entries(answers)) await this.holds(id, slug, plaintext);
    return id;
  }

  /** The customer answers its step. */
  async customerAnswers(id: string, answers: Record<string, string>, node: string, withEvent = true): Promise<void> {
    for (const [slug, plaintext] of Object.entries(answers)) await this.holds(id, slug, plaintext);
    Object.assign(this.runs.get(id)!, this.at(node));
    if (withEvent) await this.tells(id);
  }

  /** Publishes the event alone, without changing the run. */
  async tells(flow_run_id: string, kind: 'flow_run_turn' | 'flow_completed' = 'flow_run_turn', service = 'shop'): Promise<void> {
    const id = `evt_${++this.events}`;
    const awaiting_party = awaitedParty(this.runs.get(flow_run_id)!.status) ?? 'company';
    const members = { id, person_user_id: CUSTOMER, share_code: 'ANA', at: AT, flow_run_id };
    const event = { event: kind, ...members, ...(kind === 'flow_run_turn' && { awaiting_party }) };
    await this.feed.publish(FEED, { service, event: kind, partition: 'p00' }, event as never, `${service}:${id}`);
  }

  /** Returns the answers that a party reads of the run, opened with its own key. */
  async opened(id: string, user = COMPANY): Promise<Record<string, string>> {
    const key = await privateKey(user === COMPANY ? SHOP : ANA);
    const own = this.runs.get(id)!.answers.filter(({ for_user_id }) => for_user_id === user);
    return Object.fromEntries(await Promise.all(own.map(async ({ slug, value }) => [slug, await openValue(key, value)] as const)));
  }

  /** Serves the file of a connection, as the gateway's HTTP server would. Returns the server, which listens. */
  async servesFiles(port: number): Promise<Server> {
    const server = createServer((request, response) => {
      const answer = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      this.file(request.url!).then(
        (file) => answer(200, file),
        (error: Refusal) => answer(error.status, error.toBody()),
      );
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  seal(plaintext: string, user = COMPANY): Promise<string> {
    return importValuePublicKey(publicKeyOf(user)).then((key) => sealValue(key, plaintext));
  }

  async openFor(user: string, value: string): Promise<unknown> {
    return JSON.parse(await openValue(await privateKey(user === COMPANY ? SHOP : ANA), value)) as unknown;
  }

  keyHash = (user: string) => publicKeySha256(publicKeyOf(user));

  /** The customer answers with a file, of which everybody has a copy. */
  answersFile(id: string, slug: string, envelope: string, isLinked = false): void {
    const file = `file_${id}_${slug}`;
    this.envelopes.set(file, envelope);
    const value = JSON.stringify({ _enc_file: file, ...(isLinked && { _link: 1 }) });
    for (const for_user_id of [COMPANY, CUSTOMER]) this.known(id).answers.push({ slug, for_user_id, value });
  }

  /** Brings the run to its documents: the party of the node has answered the last step. */
  generatesAt(id: string, current_node: string): void {
    Object.assign(this.known(id), { status: 'generating', current_node });
  }

  private at(node: string | null): Pick<Run, 'status' | 'current_node'> {
    const party = this.definition.nodes.find(({ key }) => key === node)?.party;
    return party === undefined ? { status: 'completed', current_node: null } : { status: `awaiting_${party}`, current_node: node };
  }

  private async holds(id: string, slug: string, plaintext: string): Promise<void> {
    for (const for_user_id of [COMPANY, CUSTOMER])
      this.runs.get(id)!.answers.push({ slug, for_user_id, value: await this.seal(plaintext, for_user_id) });
  }

  private async opens(value: string) {
    try {
      if (this.isUnreadable) throw new Error('unreadable');
      return { plaintext: await openValue(await privateKey(SHOP), value), attested: null };
    } catch {
      return { error_key: 'decryptor.unreadable' as const };
    }
  }

  private async answersAll(): Promise<void> {
    await this.plays(companyData.whoami, () => ({ company_user_id: COMPANY, service_id: 'ser_shop' }));
    await this.plays(registry.listFieldTypes, () => SYSTEM_ROWS);
    await this.plays(registry.readPublicKey, ({ params: { shareCode } }) => ({ share_code: shareCode!, public_key: ANA.public_key }));
    await this.plays(connections.readConnection, ({ params: { connectionId } }) => this.connection(connectionId!));
    await this.plays(runs.readPublishedFlow, () => ({
      version: this.version,
      definition: this.definition,
      request_field_types: { first_name: 'text', income: 'number', rules: 'pdf_document' },
    }));
    await this.plays(runs.listPublishedFlows, async (_, service) => {
      await this.onListFlows(service);
      return { items: this.published, next_cursor: null };
    });
    await this.plays(runs.issuePluginPass, () => this.pass());
    await this.gateway.answer(CALL_FORWARDER, {}, (message) => this.forwards(message));
    await this.plays(runs.stageRunFile, ({ body }) => ({ file: `file_${this.staged.push(body as never)}` }));
    await this.plays(runs.startRun, ({ body }) => this.start(body as NewRun));
    await this.plays(runs.readRun, async ({ params: { runId } }) => {
      await this.onRead();
      const run = { ...this.known(runId!) };
      await this.onHasRead(runId!);
      return run;
    });
    await this.plays(runs.listRuns, ({ query }, service) => ({
      items: [...this.runs.values()].filter(({ status }) => status === query.status && service === 'shop'),
      next_cursor: null,
    }));
    await this.plays(runs.answerRun, ({ params: { runId }, body }) => this.answer(runId!, body as Turn));
    await this.plays(runs.readAnswerFile, ({ params: { runId, slug } }) => this.answerFile(runId!, slug!));
    await this.plays(runs.readSourceFile, ({ params: { runId, sourceKey } }) =>
      this.sealedFile(this.known(runId!).source_files[sourceKey!]),
    );
    await this.plays(runs.uploadGenerationInput, ({ params: { runId }, body }) => this.generation.takes(this.known(runId!), body as Input));
    await this.plays(runs.generateDocuments, ({ params: { runId }, body }) =>
      this.generation.generates(this.known(runId!), body as Generation),
    );
    await this.plays(runs.cancelRun, ({ params: { runId } }) =>
      Object.assign(this.known(runId!), { status: 'cancelled', current_node: null }),
    );
  }

  private async plays<E extends Endpoint>(contract: E, answer: (request: ReceivedRequest, service: string) => unknown): Promise<void> {
    const reply = (request: ReceivedRequest, { service }: { service: string }) => answer(request, service);
    await this.gateway.answer(operation(contract), {}, reply as never);
  }

  /** Issues a pass. The plugins use the customer's key, because the test has its private half. */
  private pass() {
    this.onPass();
    const elements = this.definition.nodes.flatMap((node) => node.elements).filter((element) => element.kind === 'plugin');
    return {
      pass: `pass_${++this.passes}`,
      forwarder_url: 'https://forwarder.example',
      plugins: elements.map(({ plugin }) => ({ id: plugin.plugin_id, public_key: ANA.public_key })),
      specs: Object.fromEntries(elements.map(({ slug, plugin }) => [slug, plugin])),
    };
  }

  private async forwards({ pass, request }: { pass: string; request: string }) {
    await this.onForward(pass);
    const question = OpenedQuestion.parse(JSON.parse(await openValue(await privateKey(ANA), request)));
    this.questions.push(question);
    const reply = this.onQuestion(question, pass);
    const key = await importValuePublicKey(question.reply_key);
    return { reply: (await sealValue(key, typeof reply === 'string' ? reply : JSON.stringify(reply))) as Sealed };
  }

  private async file(url: string) {
    const { pathname, searchParams } = new URL(url, 'http://gateway');
    const named = (name: string) => searchParams.get(name) ?? '';
    switch (pathname) {
      case `/v1/shop/${connections.readSlotFile.name}`:
        this.onReadFile();
        return { encrypted: true, value: await this.seal('{"file":"data:application/pdf;base64,AA=="}') };
      case `/v1/shop/${runs.readAnswerFile.name}`:
        return this.answerFile(named('runId'), named('slug'));
      case `/v1/shop/${runs.readSourceFile.name}`:
        return this.sealedFile(this.known(named('runId')).source_files[named('sourceKey')]);
      default:
        throw new Refusal('request.not_found');
    }
  }

  private answerFile(id: string, slug: string) {
    const { value } = this.known(id).answers.find((answer) => answer.slug === slug && answer.for_user_id === COMPANY) ?? {};
    if (value === undefined || this.generation.liveOnly.has(slug)) throw new Refusal('flows.file_not_found');
    return this.sealedFile((JSON.parse(value) as { _enc_file: string })._enc_file);
  }

  /** Returns the company's copy of a file of a run. */
  private async sealedFile(file: string | undefined) {
    const envelope = this.envelopes.get(file ?? '');
    if (envelope === undefined) throw new Refusal('flows.file_not_found');
    return { encrypted: true, value: await this.seal(envelope) };
  }

  private connection(id: string) {
    if (id !== 'conn_ana') throw new Refusal('company_data.connection_not_found');
    const { values, values_private } = this;
    const fields = [{ service_field_id: 'sf_rules', slug: 'rules', label: 'Rules', type: 'pdf_document' }];
    const who = { id, person_id: CUSTOMER, display_name: 'Ana', connected_at: AT, customer_type: 'person', share_code: 'ANA' };
    return { ...who, values, values_private, fields };
  }

  private async start(body: NewRun): Promise<Run> {
    await this.onStart(body);
    const id = await this.startOnce(body);
    await this.onStarted();
    return this.known(id);
  }

  /** Starts one run for each idempotency key, however many requests come at once. */
  private startOnce(body: NewRun): Promise<string> {
    const known = this.byKey.get(body.idempotency_key!);
    if (known) return known;
    this.started.push(body);
    const starting = this.run({}, this.definition.entry);
    this.byKey.set(body.idempotency_key!, starting);
    return starting;
  }

  private known(id: string): Run {
    const run = this.runs.get(id);
    if (!run) throw new Refusal('flows.run_not_found');
    return run;
  }

  private async answer(id: string, { answers, next_node, leaf }: Turn): Promise<Run> {
    this.submits++;
    await this.onAnswer();
    const run = this.known(id);
    if (awaitedParty(run.status) === undefined) throw new Refusal('flows.run_not_awaiting');
    if (awaitedParty(run.status) !== 'company') throw new Refusal('flows.not_your_turn');
    const successors = this.definition.edges.filter(({ from }) => from === run.current_node).map(({ to }) => to);
    if (leaf === true ? successors.length > 0 : !successors.includes(next_node!)) throw new Refusal('flows.next_node_invalid');
    for (const { slug, values } of answers)
      for (const { for_user_id, value } of values) run.answers.push({ slug, for_user_id, value: value as string });
    if (leaf === true && run.output_mode === 'document') run.status = 'generating';
    else Object.assign(run, this.at(next_node ?? null));
    await this.onAnswered();
    return run;
  }
}

const publicKeyOf = (user: string) => (user === COMPANY ? SHOP : ANA).public_key;
const privateKey = async ({ pem, passphrase }: (typeof SERVICE_KEYS)[number]) =>
  importValuePrivateKey(await readPrivateKeyPem(pem, passphrase));

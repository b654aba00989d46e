import { Controller } from '@nestjs/common';
import {
  connections,
  Refusal,
  retryAdvice,
  runs,
  START_RUN,
  companyData,
  type Output,
  type Request,
  type RunState,
  type RunToStart,
  type Sealed,
} from '@codase/contracts';
import { importValuePublicKey, publicKeySha256, sealValue } from '@codase/crypto';
import {
  bindTargets,
  connectionSources,
  customerTags,
  requiredSourceFiles,
  type Bindings,
  type Definition,
} from '@codase/domain/flow-language';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { retry } from '@codase/runtime/resilience';
import { activeTraceparent, count } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { CheckWorker } from '../runs/check.worker.ts';
import { Platform, type ServicePlatform } from '../runs/platform.service.ts';
import { isRead } from '../turns/kept-run.ts';
import { RunsStore } from '../turns/runs.store.ts';
import { COMPANY, compileTags, type RecipientTags, type SharedValue } from './compile-tags.ts';
import { SourceFilesService } from './source-files.service.ts';
import { bodyDigest, startKey } from './start-keys.ts';
import { StartsStore, type NewStart, type Start } from './starts.store.ts';

type NewRun = Request<typeof runs.startRun>['body'];
type Customer = Output<typeof connections.readConnection>;
type Published = Output<typeof runs.readPublishedFlow>;

type KnownRun = RunToStart & { flow_id: string };

/** Everything that the service reads from the platform for a start. */
interface StartContext {
  flow_id: string;
  version: number;
  definition: Definition;
  types: Readonly<Record<string, string>>;
  bindings: Bindings;
  company_user_id: string;
  /** The customers of parties that are bound by a connection, by party. */
  customers: ReadonlyMap<string, Customer>;
}

const USUAL_MS = 45_000;
const OURS = 0.9;
const BACKOFF = { firstMs: 250, longestMs: 2_000, jitter: 0.2 };
/** Refusals because a newer version was published or a recipient has a new key: all is compiled once again. @spec D2-9 @spec D2-7 */
const COMPILED_ANEW = ['flows.version_changed', 'flows.tag_values_stale'];

/** Starts runs for internal services. @spec D2-4.1 */
@Controller()
export class StartsBus {
  /** The starts that are under way in this process. A repeat that comes meanwhile joins the first request: a start may stage long files. */
  private readonly underWay = new Map<string, Promise<RunState>>();

  constructor(
    private readonly starts: StartsStore,
    private readonly store: RunsStore,
    private readonly platform: Platform,
    private readonly files: SourceFilesService,
    private readonly worker: CheckWorker,
  ) {}

  /** Starts a run. A crash leaves a note without a run: a repeat with the key gets the run that may have been started. */
  @Answers(START_RUN, { queue: 'flows' })
  start(run: MessageOf<typeof START_RUN>, { values, user = '', withinMs = USUAL_MS }: BusContext<typeof START_RUN>): Promise<RunState> {
    const { service } = values;
    const request = { service, start_key: startKey(user, run), body_digest: bodyDigest(run) };
    const name = Object.values(request).join(' ');
    const starting = this.underWay.get(name) ?? this.startOnce(request, run, withinMs).finally(() => this.underWay.delete(name));
    this.underWay.set(name, starting);
    return starting;
  }

  private async startOnce(request: NewStart, toStart: RunToStart, withinMs: number): Promise<RunState> {
    const { service } = request;
    const standing = await this.starts.request(request);
    if (standing.body_digest !== request.body_digest) throw new Refusal('flows.start_conflict');
    if (standing.flow_run_id !== null) return this.repeated(service, standing);
    const run = await this.atPlatform(standing, toStart, withinMs * OURS);
    await this.starts.started(standing, run);
    await this.store.hear({ service, flow_run_id: run.id }, run.status, activeTraceparent());
    this.worker.wake();
    count(METRICS.started, { 'codase.service': service });
    return { flow_run_id: run.id, status: run.status, node: run.current_node };
  }

  /** Returns the state of a run that a repeat asks for: the stored state, or the state at the start while the run has not been read. */
  private async repeated(service: string, start: Start): Promise<RunState> {
    const flow_run_id = start.flow_run_id!;
    const kept = await this.store.find({ service, flow_run_id });
    const { status, node } = kept && isRead(kept) ? kept : start;
    return { flow_run_id, status: status!, node };
  }

  private async atPlatform(standing: Start, run: RunToStart, withinMs: number) {
    try {
      return await retry(() => this.trigger(standing, run), {
        backoff: BACKOFF,
        bound: { withinMs },
        metric: METRICS.startRetried,
        isWorth: isInDoubt,
      });
    } catch (error) {
      if (!isInDoubt(error)) await this.starts.refused(standing);
      throw error;
    }
  }

  private async trigger(standing: Start, run: RunToStart) {
    const platform = this.platform.of(standing.service);
    const flow_id = await platform.flowId(run);
    const attempt = async () => {
      const body = await this.compile(platform, { ...run, flow_id });
      return platform.ask(runs.startRun, { params: { flowId: flow_id }, body: { ...body, idempotency_key: standing.start_key } });
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Refusal && COMPILED_ANEW.includes(error.key))) throw error;
      platform.keys.forget();
      return attempt();
    }
  }

  private async compile(platform: ServicePlatform, run: KnownRun): Promise<NewRun> {
    const context = await this.readContext(platform, run);
    const { target, targets, bindings } = run;
    const tag_values = customerTags(context.definition).length > 0 ? { tag_values: await this.tagValues(platform, context) } : {};
    const source_files = await this.sourceFiles(platform, context);
    return { ...(target && { target }), ...(targets && { targets }), bindings, flow_version: context.version, ...tag_values, source_files };
  }

  private async readContext(platform: ServicePlatform, run: KnownRun): Promise<StartContext> {
    const { flow_id, target, targets = {}, bindings } = run;
    const [published, { company_user_id }]: [Published, { company_user_id: string }] = await Promise.all([
      platform.ask(runs.readPublishedFlow, { params: { flowId: flow_id } }),
      platform.ask(companyData.whoami, {}),
    ]);
    const { definition } = await platform.compile(published.definition);
    const ids = [...new Set([target, ...Object.values(targets)].flatMap((one) => (one ? [one.connection_id] : [])))];
    const found = new Map(await Promise.all(ids.map(async (id) => [id, await readCustomer(platform, id)] as const)));
    const customerOf = (id: string) => {
      const customer = found.get(id);
      return customer && { user_id: customer.person_id, type: customer.customer_type };
    };
    const bound = bindTargets(definition.parties, { company_user_id, target, targets: run.targets, bindings }, customerOf);
    if (!bound.ok) throw new Refusal(bound.fault.key).because(bound.fault.message);
    const byParty = definition.parties.flatMap(({ key, type }): [string, Customer][] => {
      const id = type === 'owner' ? undefined : (targets[key] ?? target)?.connection_id;
      const customer = id === undefined ? undefined : found.get(id);
      return customer ? [[key, customer]] : [];
    });
    const { version, request_field_types: types } = published;
    return { flow_id, version, definition, types, bindings: bound.bindings, company_user_id, customers: new Map(byParty) };
  }

  /** Returns the customers' values that the text shows, sealed to each recipient. @spec D2-4.1 */
  private async tagValues(platform: ServicePlatform, context: StartContext): Promise<NewRun['tag_values']> {
    const shared = await openShared(platform, context);
    const compiled = compileTags(context.definition, context, (party, field) => shared.get(`${party}.${field}`));
    const keyOf = keysOf(platform, context);
    const sealed = [...compiled].map(async ([recipient, tags]) => {
      const public_key = await keyOf(recipient === COMPANY ? context.company_user_id : recipient);
      return [recipient, await sealTags(public_key, tags)] as const;
    });
    return Object.fromEntries(await Promise.all(sealed));
  }

  private sourceFiles(platform: ServicePlatform, { definition, bindings, customers, flow_id, ...context }: StartContext) {
    const sources = new Map(connectionSources(definition).map((source) => [source.source_key, source]));
    const isShared = (party: string, slug: string) => customers.get(party)?.values[slug] !== undefined;
    const required = requiredSourceFiles(definition, bindings, isShared);
    const locationOf = (source_key: string) => {
      const { party, request_slug } = sources.get(source_key)!;
      return { connection: customers.get(party)!, request_slug };
    };
    return this.files.stage(platform.service, flow_id, required, { locationOf, keyOf: keysOf(platform, { customers, ...context }) });
  }
}

async function readCustomer(platform: ServicePlatform, connectionId: string): Promise<Customer> {
  try {
    return await platform.ask(connections.readConnection, { params: { connectionId } });
  } catch (error) {
    if (error instanceof Refusal && error.key === 'company_data.connection_not_found') throw new Refusal('flows.connection_not_found');
    throw error;
  }
}

/** Opens the values that the text names and the customers share. A value that does not open is left out. @spec D2-4.1 */
async function openShared(platform: ServicePlatform, { definition, customers }: StartContext): Promise<Map<string, SharedValue>> {
  const sealed = customerTags(definition).flatMap(({ tag, party, field }) => {
    const customer = customers.get(party);
    const value = customer?.values[field]?.value;
    return value === undefined ? [] : [{ tag, value, is_private: customer!.values_private[field] === true }];
  });
  const opened = await platform.opener.openAll(sealed.map(({ value }) => ({ value })));
  const readable = opened.flatMap((item, nth): [string, SharedValue][] => {
    const { tag, is_private } = sealed[nth]!;
    return 'plaintext' in item ? [[tag, { plaintext: item.plaintext, is_private }]] : [];
  });
  return new Map(readable);
}

/** Returns the function that finds the public key of a bound user. */
const keysOf =
  (platform: ServicePlatform, { customers, company_user_id }: Pick<StartContext, 'customers' | 'company_user_id'>) =>
  async (user: string): Promise<string> => {
    if (user === company_user_id) return platform.ownKey();
    const customer = [...customers.values()].find(({ person_id }) => person_id === user);
    if (!customer) throw new Refusal('keys.not_found').because('A party is bound without a connection, so its key cannot be looked up');
    return platform.keys.of({ connection_id: customer.id, share_code: customer.share_code });
  };

async function sealTags(public_key: string, tags: RecipientTags) {
  const key = await importValuePublicKey(public_key);
  const seal = async (value: unknown) => (await sealValue(key, JSON.stringify(value))) as Sealed;
  const apart = Object.entries(tags.private).map(async ([tag, value]) => [tag, await seal(value)] as const);
  return {
    recipient_pubkey_sha256: await publicKeySha256(public_key),
    public: await seal(tags.public),
    public_tags: Object.keys(tags.public),
    private: Object.fromEntries(await Promise.all(apart)),
  };
}

/** Whether the platform may have started the run although no answer says so. Also true when it asks to try again later. */
const isInDoubt = (error: unknown): boolean => !(error instanceof Refusal) || ['in_doubt', 'later'].includes(retryAdvice(error.key).retry);

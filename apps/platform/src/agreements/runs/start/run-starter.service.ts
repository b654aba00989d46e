import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type FlowDefinition, type Run } from '@codase/contracts';
import { awaiting } from '@codase/domain';
import { ownerTags, type Bindings, type Definition } from '@codase/domain/flow-language';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../../foundation/audit/index.ts';
import { holdCustomers, listAnswered, listPublicSources, type ConnectionRow } from '../../../sharing/connections/index.ts';
import { PublishedFlows, type PublishedVersion } from '../../../services/flows/index.ts';
import { CompanyLevels } from '../../../access/identity/index.ts';
import { newId } from '../../../kit/ids.ts';
import { Home, unknownDeletions } from '../../../foundation/regions/index.ts';
import { ContactFields, FieldTypesView } from '../../../services/registry/index.ts';
import { holdService, type OwnService } from '../../../services/services/index.ts';
import { RunAnnouncer } from '../run-announcer.service.ts';
import { METRICS } from '../metrics.ts';
import { RunReader } from '../run-reader.service.ts';
import { lockStaged, takeStaged } from '../files/run-files.store.ts';
import { definitionIdsOf, type BoundRun, type PartyRow, type RunRow, type TagValuesRow } from '../run-row.ts';
import { addRun, addTagValues, findStarted } from '../runs.store.ts';
import { checkStart, COMPANY_RECIPIENT, customerOf, showsCustomers, type NewRun, type StartFacts } from './start-checks.ts';

interface Started {
  run: RunRow;
  isNew: boolean;
}

/** Starts runs of the flows of companies that live here. A refused start writes nothing. @spec D2-4.1 @spec D2-9 */
@Injectable()
export class RunStarter {
  constructor(
    private readonly home: Home,
    private readonly flows: PublishedFlows,
    private readonly levels: CompanyLevels,
    private readonly fields: ContactFields,
    private readonly view: FieldTypesView,
    private readonly reading: RunReader,
    private readonly announcing: RunAnnouncer,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Starts a run. A repeated call returns the run as it is now. */
  async start(own: OwnService, flow_id: string, given: NewRun): Promise<Run> {
    await this.levels.require(own.company_user_id, 'pro', 'Contract flows');
    const { run, isNew } = await this.home.write(own.company_user_id, (tx) => this.startIn(tx, own, flow_id, given));
    if (isNew) count(METRICS.started);
    return this.reading.forOwner(run);
  }

  private async startIn(tx: EntityManager, own: OwnService, flow_id: string, given: NewRun): Promise<Started> {
    const { public_key } = await holdService(tx, own);
    const key = given.idempotency_key;
    const known = key === undefined ? undefined : await findStarted(tx, own, flow_id, key);
    if (known) return { run: known, isNew: false };
    const published = await this.flows.hold(tx, own, flow_id);
    const facts = await factsOf(tx, own, { given, published, service_public_key: public_key }, this.clock.now());
    const bindings = checkStart(facts);
    await checkAccounts(tx, facts.customers);

    const started = await this.bound(tx, own, facts, published, bindings);
    await addRun(tx, started, published.definition, key);
    await addTagValues(tx, started.run, tagRows(own, facts));
    await takeStaged(tx, started.run, given.source_files);
    await this.audit.record(tx, { act: 'flow_run.started', account_id: own.company_user_id, object: started.run.run_id });
    const awaited = started.parties.find(({ party_key }) => awaiting(party_key) === started.run.status)!;
    await this.announcing.announceTurn(tx, started, awaited, started.run.created_at);
    return { run: started.run, isNew: true };
  }

  /** Returns the new run, at the entry node, with its parties. @spec D2-3 */
  private async bound(
    tx: EntityManager,
    own: OwnService,
    facts: StartFacts,
    published: PublishedVersion,
    bindings: Bindings,
  ): Promise<BoundRun> {
    const { company_user_id, service_id } = own;
    const { flow_id, version, definition } = published;
    const [run_id, created_at] = [newId('run'), this.clock.now()];
    const run: RunRow = {
      run_id,
      company_user_id,
      service_id,
      flow_id,
      flow_version: version,
      definition_id: definitionIdsOf(published)[0],
      status: awaiting(entryParty(definition)),
      current_node: definition.entry,
      last_party: null,
      reference_date: created_at.toISOString().slice(0, 10),
      private_slugs: [],
      owner_tag_values: await this.ownerTagValues(tx, company_user_id, definition),
      created_at,
      data_removed_at: null,
    };
    const parties = definition.parties.map(({ key }, position) =>
      partyOf(run, key, position, bindings[key]!, customerOf(facts, bindings[key]!)),
    );
    return { run, parties };
  }

  /**
   * Returns the company's own values that text shows, in the clear; null when there are none. Private values are left out, because the
   * platform cannot read them, and so are files, which text cannot show. @spec D2-2.2 @spec D2-2.6
   */
  private async ownerTagValues(
    tx: EntityManager,
    company_user_id: string,
    definition: FlowDefinition,
  ): Promise<RunRow['owner_tag_values']> {
    const tags = ownerTags(definition as Definition);
    if (tags.length === 0) return null;
    const named = (await this.fields.of(company_user_id, tx)).filter(
      ({ slug, type }) => tags.some(({ field }) => field === slug) && !this.view.types.isBinary(type),
    );
    const slugs = named.map(({ slug }) => slug);
    const values = await listPublicSources(tx, company_user_id, slugs);
    const shown = tags.flatMap(({ tag, field: slug }) => {
      const [field, source] = [named.find((one) => one.slug === slug), values.find((one) => one.slug === slug)];
      return field && source ? [[tag, { v: source.value, t: field.type }] as const] : [];
    });
    return shown.length > 0 ? Object.fromEntries(shown) : null;
  }
}

const entryParty = ({ nodes, entry }: FlowDefinition): string => nodes.find(({ key }) => key === entry)!.party;

/** Reads the facts against which a start is checked. The customers stay connected until the transaction ends. */
async function factsOf(
  tx: EntityManager,
  own: OwnService,
  known: Pick<StartFacts, 'given' | 'published' | 'service_public_key'>,
  now: Date,
): Promise<StartFacts> {
  const { target, targets = {}, bindings, source_files } = known.given;
  const connection_ids = [...(target ? [target] : []), ...Object.values(targets)].map(({ connection_id }) => connection_id);
  const customers = await holdCustomers(tx, own, { connection_ids, user_ids: Object.values(bindings) });
  const [connected, files] = [customers.map(({ connection_id }) => connection_id), source_files.map(({ file }) => file)];
  const answered = await listAnswered(tx, connected, now);
  const staged = await lockStaged(tx, { service_id: own.service_id, flow_id: known.published.flow_id }, files);
  return {
    ...known,
    company_user_id: own.company_user_id,
    customers,
    isShared: (connection_id, slug) => answered.some((one) => one.connection_id === connection_id && one.slug === slug),
    staged: new Map(staged.map(({ file_id, source_user_id }) => [file_id, { source_user_id }])),
  };
}

/** Refuses when a customer has deleted the account, since that customer's connections are about to end. @spec D2-7 */
async function checkAccounts(tx: EntityManager, customers: readonly ConnectionRow[]): Promise<void> {
  const users = [...new Set(customers.map(({ customer_user_id }) => customer_user_id))];
  if ((await unknownDeletions(tx, users)).length < users.length) throw new Refusal('account.counterparty_deleted');
}

const partyOf = (
  { run_id }: RunRow,
  party_key: string,
  position: number,
  user_id: string,
  customer: ConnectionRow | undefined,
): PartyRow => ({
  run_id,
  position,
  party_key,
  user_id,
  connection_id: customer?.connection_id ?? null,
  customer_type: customer?.customer_type ?? null,
  share_code: customer?.share_code ?? null,
  public_key: customer?.public_key ?? null,
});

/** Returns the tag values by the user they are for; none when the text of the flow shows no values of customers. */
function tagRows({ company_user_id }: OwnService, { given, published }: StartFacts): TagValuesRow[] {
  if (!showsCustomers(published.definition)) return [];
  return Object.entries(given.tag_values!).map(([recipient, { public: shown, public_tags, private: hidden }]) => ({
    for_user_id: recipient === COMPANY_RECIPIENT ? company_user_id : recipient,
    public: shown,
    public_tags,
    private: hidden,
  }));
}

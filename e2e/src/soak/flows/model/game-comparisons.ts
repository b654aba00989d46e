import { connections, customerRuns, runs, type FeedEvent } from '@codase/contracts';
import { comesTrue } from '@codase/testing';
import { expectedOf, presented, same } from './compare-run.ts';
import type { CustomerPlayer, FlowTable } from './flow-table.ts';
import { heardBy, type RunModel, type Seat } from './run-model.ts';

const isSeated = ({ seats }: RunModel, { connection_id }: Seat): boolean => seats.some((seat) => seat.connection_id === connection_id);

/** How long an event may take to reach the feed of a customer company. */
const FIRM_SECONDS = 30;

/** Reads everything that the parties can see of runs, and compares it with the model. */
export class Comparisons {
  private readonly heard = new Map<string, string[]>();

  constructor(private readonly table: FlowTable) {}

  /** Compares a run as every party reads it. A customer whose connection has ended cannot read it any more. */
  async ofRun(run: RunModel, flow_id: string): Promise<void> {
    const { id } = run;
    const players = [...this.table.owners, ...this.table.customers.filter((one) => isSeated(run, one))];
    for (const player of players) {
      const read = await player.side(flow_id).read(id);
      same(`run ${id} as ${player.user_id} reads it`, presented(read), expectedOf(run, player));
    }
    for (const [slug, copies] of run.answers)
      if ([...copies.values()].some((value) => value.includes('_enc_file'))) await this.ofFiles(run, slug, copies);
    for (const customer of this.table.customers.filter((one) => isSeated(run, one))) await this.withCustomer(run, customer, flow_id);
  }

  /** Compares the file copies of an answer. Each party reads its own copy. */
  private async ofFiles(run: RunModel, slug: string, copies: ReadonlyMap<string, string>): Promise<void> {
    const { shop } = this.table.world;
    const file = (await shop.asks(runs.readAnswerFile, { params: { runId: run.id, slug } })) as { value: string };
    same(`the file of ${slug}`, await shop.opens(file.value), `file for ${shop.company_user_id}`);
    for (const { connection_id: connectionId, user_id, ...customer } of this.table.customers.filter((one) => isSeated(run, one))) {
      const { _enc_file } = JSON.parse(copies.get(user_id)!) as { _enc_file: string };
      const params = { connectionId, runId: run.id, file: _enc_file };
      const copy = (await customer.asks(customerRuns.readCustomerAnswerFile, { params })) as { value: string };
      same(`the file of ${slug} for ${user_id}`, await customer.opens(copy.value), `file for ${user_id}`);
    }
  }

  /** Compares the run in the customer's list, and what the service has of the customer after a completed flow with data alone. */
  private async withCustomer({ id, status, node }: RunModel, { connection_id, side }: CustomerPlayer, flow_id: string): Promise<void> {
    const listed = (await side(flow_id).list({ limit: 100 })).items.find((run) => run.id === id);
    same(`run ${id} in the list of a customer`, [listed?.status, listed?.current_node], [status, node]);
    if (status !== 'completed') return;
    const params = { connectionId: connection_id };
    const { values } = await this.table.world.shop.asks(connections.readConnection, { params });
    const stored = Object.fromEntries(Object.entries(values).map(([slug, { value }]) => [slug, value]));
    same(`what ${connection_id} shares`, stored, Object.fromEntries(this.table.shared.get(connection_id) ?? []));
  }

  /** Compares the list of all runs of the flow with the runs that were started here, and checks that the service got each event once. */
  async ofAll(all: readonly RunModel[], flow_id: string): Promise<void> {
    const [, automation] = this.table.owners;
    const { items } = await automation!.side(flow_id).list({ limit: 100 });
    const listed = Object.fromEntries(items.map(({ id, status, current_node }) => [id, [status, current_node]]));
    same('the list of runs', listed, Object.fromEntries(all.map(({ id, status, node }) => [id, [status, node]])));
    await this.hears();
    for (const { id, events } of all) same(`what the service heard of ${id}`, this.heard.get(id) ?? [], events);
  }

  /** Compares the events on the own feed of the company that is a customer. They come late, from another region. */
  async ofFirm(all: readonly RunModel[]): Promise<void> {
    const { bolt, boltAutomation } = this.table.world;
    const heard = new Map<string, string[]>(all.map(({ id }) => [id, []]));
    await comesTrue(async () => {
      for (const event of await boltAutomation.asCustomer.drains())
        if (event.event === 'flow_run_turn' || event.event === 'flow_completed') heard.get(event.flow_run_id)?.push(event.event);
      for (const run of all) same(`what the firm heard of ${run.id}`, heard.get(run.id)!.toSorted(), heardBy(run, bolt.user_id).toSorted());
    }, FIRM_SECONDS);
  }

  private async hears(): Promise<void> {
    for (;;) {
      const { events } = await this.table.world.shop.feed.drains();
      if (events.length === 0) return;
      for (const event of events as FeedEvent[]) {
        if (event.event !== 'flow_run_turn' && event.event !== 'flow_completed') continue;
        const said = event.event === 'flow_completed' ? 'completed' : event.awaiting_party;
        this.heard.set(event.flow_run_id, [...(this.heard.get(event.flow_run_id) ?? []), said]);
      }
    }
  }
}

import { isFlowId, operation, PAGE_ITEMS, Refusal, runs, type Output } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { monotonic } from '@codase/runtime/resilience';

type Listed = Output<typeof runs.listPublishedFlows>['items'];

/** How long a list of flows is used: a flow may get another name in the portal. */
const LIVE_MS = 60_000;

/** The published flows of a service, by their names and ids, as they were within the last minute. @gap D2-4.1 */
export class FlowNames {
  private listed: { flows: Listed; at: number } | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly service: string,
    private readonly timeoutMs: number,
  ) {}

  /** Returns the id of a flow that is given by its name or its id. Refuses a name that several flows have. */
  async idOf(flow: string): Promise<string> {
    if (isFlowId(flow)) return flow;
    const found = (await this.list(({ name }) => name === flow)).filter(({ name }) => name === flow);
    if (found.length === 0) throw new Refusal('flows.not_found').because('No published flow of the service has this name');
    if (found.length > 1) throw new Refusal('flows.name_ambiguous');
    return found[0]!.id;
  }

  /** Returns all published flows. With `flow_id`, a list that does not have that flow is read again first. */
  all(flow_id?: string): Promise<readonly { id: string; name: string }[]> {
    return this.list(flow_id === undefined ? undefined : ({ id }) => id === flow_id);
  }

  /** Returns the listed flows. Reads the list again when a flow is wanted and not in it: the flow may have been published since. */
  private async list(isWanted?: (flow: Listed[number]) => boolean): Promise<Listed> {
    const isYoung = this.listed && monotonic() - this.listed.at < LIVE_MS;
    if (isYoung && (!isWanted || this.listed!.flows.some(isWanted))) return this.listed!.flows;
    const flows = await this.read();
    this.listed = { flows, at: monotonic() };
    return flows;
  }

  private async read(): Promise<Listed> {
    const flows: Listed = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Output<typeof runs.listPublishedFlows> = await this.bus.request(
        operation(runs.listPublishedFlows),
        { service: this.service },
        { query: { limit: PAGE_ITEMS.most, ...(cursor && { cursor }) } },
        { timeout: this.timeoutMs },
      );
      flows.push(...page.items);
      cursor = page.next_cursor;
    }
    return flows;
  }
}

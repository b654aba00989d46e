import { randomUUID } from 'node:crypto';
import { Refusal, registry, RunStatus, runs, type Output } from '@codase/contracts';
import { fieldTypes } from '@codase/domain/field-types';
import { readDefinition } from '@codase/domain/flow-language';
import { Fault, table, UsageFault } from '@codase/command-line';
import type { CodaseClient } from '@codase/client';
import { clientCommands } from './client-with.ts';
import { noWords, readLimit, TEXT } from './command.ts';
import { drawRun } from './flow-graph.ts';
import { flowTypes } from './flow-types.ts';

// The commands for contract flows of a service. They use the same client as the company's own services.

const command = clientCommands({
  'flows.run_not_found': ' npm run codase -- flows runs shows what there is.',
  'flows.not_found': ' FLOW is the name or the id of a published flow of this service: npm run codase -- flows list shows them.',
  'flows.name_ambiguous': ' npm run codase -- flows list shows their ids.',
  'flows.not_published': ' Publish it in the portal first.',
  'flows.turn_not_found': ' Nothing of this run is parked: npm run codase -- flows show RUN shows where it is.',
  'flows.connection_not_found': ' --to names connections of this service, as npm run codase -- listen shows them.',
});

type RunSummary = Output<typeof runs.listRuns>['items'][number];

/** Lists the published flows of a service with the number of runs by status, and flows that are no longer published but have runs. */
export const listFlows = command({}, (_, words) => {
  noWords(words);
  return async (codase, { print }) => {
    const published = await everyFlow(codase);
    const gone: ListedFlow = { name: '(not published any more)', version: null, runs: {} };
    const flows = new Map(published.map(({ id, name, version }): [string, ListedFlow] => [id, { name, version, runs: {} }]));
    for (const { flow_id, status } of await everyRun(codase)) {
      const flow = flows.get(flow_id) ?? { ...gone, runs: {} };
      flow.runs[status] = (flow.runs[status] ?? 0) + 1;
      flows.set(flow_id, flow);
    }
    const rows = [...flows].map(([id, { name, version, runs: counts }]) => [
      id,
      name,
      version === null ? '' : `version ${version}`,
      inWords(counts),
    ]);
    print(rows.length === 0 ? 'No flows.' : table(rows), { flows: Object.fromEntries(flows) });
  };
});

interface ListedFlow {
  name: string;
  version: number | null;
  /** How many runs there are of each status. */
  runs: Record<string, number>;
}

const inWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ') || 'no runs';

export const startFlow = command({ to: { ...TEXT, multiple: true }, key: TEXT }, (values, words) => {
  const flow = readFlow(words);
  const to = (values.to ?? []).map(readTarget);
  const { key = randomUUID() } = values;
  const single = to.find(({ party }) => party === undefined);
  if (to.length === 0 || (single && to.length > 1))
    throw new UsageFault('Say with whom: --to CONNECTION, or --to PARTY=CONNECTION for each party.');
  const whom = single
    ? { target: { connection_id: single.connection_id } }
    : { targets: Object.fromEntries(to.map(({ party, connection_id }) => [party!, { connection_id }])) };
  return async (codase, { print }) => {
    const run = await codase.flows.start(flow, { key, ...whom });
    print(`${run.flow_run_id} is ${run.status}`, { ...run, key });
  };
});

export const listRuns = command({ status: TEXT, most: TEXT }, (values, words) => {
  noWords(words);
  const limit = readLimit(values.most);
  const status = values.status === undefined ? undefined : readStatus(values.status);
  return async (codase, { print }) => {
    const { items, next_cursor } = await codase.request(runs.listRuns, { query: { limit, ...(status && { status }) } });
    const rows = items.map(({ id, flow_id, status: now, current_node }) => [id, flow_id, now, current_node ?? '']);
    print(rows.length === 0 ? 'No runs.' : table(rows), { items, next_cursor });
  };
});

export const showRun = command({}, (_, words) => {
  const runId = readRun(words);
  return async (codase, { print }) => {
    const run = await codase.request(runs.readRun, { params: { runId } });
    const turn = (await codase.flows.turns({ flow_run_id: runId })).items[0];
    const { id, flow_id, flow_version, status, current_node, bindings, participants } = run;
    print(drawRun(run, turn), { id, flow_id, flow_version, status, current_node, bindings, participants, turn: turn ?? null });
  };
});

export const cancelRun = command({}, (_, words) => {
  const id = readRun(words);
  return async (codase, { print }) => {
    const run = await codase.flows.cancel(id);
    print(`${run.flow_run_id} is ${run.status}`, run);
  };
});

export const resumeRun = command({}, (_, words) => {
  const id = readRun(words);
  return async (codase, { print }) => {
    const run = await codase.flows.resume(id);
    print(`${run.flow_run_id} goes on: it is ${run.status}`, run);
  };
});

export const typesOfFlow = command({}, (_, words) => {
  const flow = readFlow(words);
  return async (codase, { print }) => {
    const flowId = await idOf(codase, flow);
    const { version, definition } = await codase.request(runs.readPublishedFlow, { params: { flowId } });
    const reading = readDefinition(definition);
    if (!reading.ok) throw new Fault('The definition of this flow is newer than this program: update it.');
    const types = fieldTypes(await codase.request(registry.listFieldTypes, {}));
    const source = flowTypes({ flow_id: flowId, version }, reading.definition, types);
    print(source.trimEnd(), { flow_id: flowId, version, source });
  };
});

const everyRun = (codase: CodaseClient): Promise<RunSummary[]> => every((query) => codase.request(runs.listRuns, { query }));
const everyFlow = (codase: CodaseClient) => every((query) => codase.request(runs.listPublishedFlows, { query }));

/** Reads all pages of a list. */
async function every<T>(read: (query: { limit: number; cursor?: string }) => Promise<{ items: T[]; next_cursor: string | null }>) {
  const found: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await read({ limit: 200, ...(cursor && { cursor }) });
    found.push(...page.items);
    cursor = page.next_cursor;
  }
  return found;
}

/** Returns the id of a flow that is given by its id or its name. */
async function idOf(codase: CodaseClient, flow: string): Promise<string> {
  const named = (await everyFlow(codase)).filter(({ id, name }) => id === flow || name === flow);
  if (named.length > 1) throw new Refusal('flows.name_ambiguous');
  return named[0]?.id ?? flow;
}

function readTarget(given: string): { party?: string; connection_id: string } {
  const [first, second, ...rest] = given.split('=');
  const isName = (text: string | undefined) => text === undefined || /^[\w-]{1,64}$/.test(text);
  if (rest.length > 0 || !first || !isName(first) || !isName(second))
    throw new UsageFault(`--to is '${given}': give CONNECTION or PARTY=CONNECTION.`);
  return second === undefined ? { connection_id: first } : { party: first, connection_id: second };
}

function readStatus(given: string): RunStatus {
  const { data } = RunStatus.safeParse(given);
  if (data === undefined) throw new UsageFault(`'${given}' is no status of a run: awaiting_PARTY, generating, completed or cancelled.`);
  return data;
}

function readFlow([flow, ...rest]: readonly string[]): string {
  if (!flow) throw new UsageFault('FLOW is missing: name the flow by its name or its id.');
  noWords(rest);
  return flow;
}

export function readRun([id, ...rest]: readonly string[]): string {
  if (id === undefined) throw new UsageFault('RUN is missing: name the run by its id.');
  noWords(rest);
  if (!/^[\w-]{1,64}$/.test(id)) throw new UsageFault(`'${id}' is no id of a run.`);
  return id;
}

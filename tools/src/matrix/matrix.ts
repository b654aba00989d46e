import type { Endpoint } from '@codase/contracts';
import { NOT_BUILT_FILE, type NotBuilt } from '../spec/not-built.ts';
import { isSameRoute } from '../spec/outline.ts';
import type { Exchange } from './exchanges.ts';

export type Contract = Pick<Endpoint, 'name' | 'method' | 'path' | 'status' | 'refusals'>;

/** One answer that an endpoint may give, and whether a test has received it. */
export interface Cell {
  /** The success status, or the error key of a refusal. */
  answer: string;
  tested: boolean;
  /** Whether the list of what is not built says that the endpoint cannot give this answer yet. */
  later: boolean;
}

export interface Row {
  endpoint: string;
  route: string;
  cells: Cell[];
  /** Answers that tests received and the contract does not declare. */
  undeclared: string[];
}

/** Every served endpoint by every answer it declares; `problems` is empty when each was tested over HTTP. */
export interface Matrix {
  rows: Row[];
  remaining: readonly string[];
  problems: string[];
}

export function matrix(
  contracts: readonly Contract[],
  served: ReadonlySet<string>,
  { routes, answers }: Pick<NotBuilt, 'routes' | 'answers'>,
  exchanges: readonly Exchange[],
): Matrix {
  const rows = contracts.filter(({ name }) => served.has(name)).map((contract) => row(contract, exchanges, answers[contract.name] ?? []));
  return {
    rows,
    remaining: routes,
    problems: [
      ...contracts.flatMap((contract) => baseProblems(contract, served, routes)),
      ...rows.flatMap(holes),
      ...unknownAnswers(rows, answers),
    ],
  };
}

function row({ name, method, path, status, refusals }: Contract, exchanges: readonly Exchange[], later: readonly string[]): Row {
  const answers = new Set(exchanges.filter(({ endpoint }) => endpoint === name).map(answerOf));
  const declared = [String(status), ...refusals];
  return {
    endpoint: name,
    route: `${method} ${path}`,
    cells: declared.map((answer) => ({ answer, tested: answers.has(answer), later: later.includes(answer) })),
    undeclared: [...answers].filter((answer) => !declared.includes(answer)).sort(),
  };
}

const answerOf = ({ status, error_key }: Exchange) => error_key ?? String(status);

const holes = ({ endpoint, cells }: Row) =>
  cells
    .filter(({ tested, later }) => tested === later)
    .map(({ answer, later }) =>
      later
        ? `${endpoint} gave a test the answer ${answer}, which ${NOT_BUILT_FILE} says it cannot give yet: remove it there.`
        : `HOLE: no test had the answer ${answer} of ${endpoint}: write one that calls it over HTTP.`,
    );

const unknownAnswers = (rows: readonly Row[], listed: NotBuilt['answers']) =>
  Object.entries(listed).flatMap(([endpoint, answers]) => {
    const declared = rows.find((row) => row.endpoint === endpoint)?.cells.map(({ answer }) => answer) ?? [];
    return answers
      .filter((answer) => !declared.includes(answer))
      .map((answer) => `${NOT_BUILT_FILE} names the answer ${answer} of ${endpoint}, which no served endpoint declares: remove it there.`);
  });

function baseProblems({ name, method, path }: Contract, served: ReadonlySet<string>, remaining: readonly string[]): string[] {
  const listed = remaining.some((route) => isSameRoute(route, `${method} ${path}`));
  if (listed !== served.has(name)) return [];
  if (listed) return [`${name} is served and stands on ${NOT_BUILT_FILE}: remove it there.`];
  return [`${name} has a contract, but no role serves it: serve it, or list ${method} ${path} in ${NOT_BUILT_FILE}.`];
}

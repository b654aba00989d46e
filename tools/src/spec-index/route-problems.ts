import type { Endpoint } from '@codase/contracts';
import { NOT_BUILT_FILE, type NotBuilt } from '../spec/not-built.ts';
import { isSameRoute, ROUTES } from '../spec/outline.ts';
import { repeated } from './section-problems.ts';

/** The endpoints of the contracts, and which of them the platform serves. */
export interface Served {
  endpoints: readonly Pick<Endpoint, 'name' | 'method' | 'path'>[];
  /** Names of the endpoints that some role of the platform serves. */
  served: ReadonlySet<string>;
}

const KNOWN = ROUTES.map(({ route }) => route);

export const isServed = (route: string, { endpoints, served }: Served): boolean =>
  endpoints.some(({ name, method, path }) => served.has(name) && isSameRoute(route, `${method} ${path}`));

/** Returns a sentence for each disagreement between the routes, the contracts and the list of what is not built. */
export function routeProblems({ routes }: NotBuilt, served: Served): string[] {
  return [
    ...repeated(routes).map((route) => `${NOT_BUILT_FILE} lists ${route} twice: keep one.`),
    ...routes.flatMap((route) => unknownRoute(route) ?? []),
    ...KNOWN.flatMap((route) => misplaced(route, routes.includes(route), isServed(route, served)) ?? []),
    ...served.endpoints.flatMap(({ method, path }) => unplacedContract(`${method} ${path}`) ?? []),
  ];
}

const unknownRoute = (route: string) =>
  KNOWN.includes(route) ? undefined : `${NOT_BUILT_FILE} lists ${route}, which tools/src/spec/routes.ts does not have: mend or remove it.`;

function misplaced(route: string, listed: boolean, served: boolean): string | undefined {
  if (listed !== served) return undefined;
  if (served) return `${route} is served and stands on ${NOT_BUILT_FILE}: remove it there.`;
  return `${route} is not served: serve a contract for it, or list it in ${NOT_BUILT_FILE}.`;
}

const unplacedContract = (route: string) =>
  KNOWN.some((known) => isSameRoute(known, route))
    ? undefined
    : `${route} has a contract and no place in tools/src/spec/routes.ts: add it there under the section whose gap it fills.`;

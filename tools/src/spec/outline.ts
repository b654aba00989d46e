import { GAP_ROUTES, SPEC_ROUTES, type Routes } from './routes.ts';
import { SECTIONS, type Section } from './sections.ts';

/** A route of the API: `GET /api/health`. ANY stands for a method not shown, a closing `*` for paths not shown. */
export interface Route {
  route: string;
  section: string;
  /** Whether the route is our own: the documents describe the thing without showing its route. */
  gap: boolean;
}

const listed = (routes: Routes, gap: boolean): Route[] =>
  Object.entries(routes).flatMap(([section, paths]) =>
    Object.entries(paths).flatMap(([path, methods]) => methods.split(' ').map((method) => ({ route: `${method} ${path}`, section, gap }))),
  );

/** Every route of both documents, and every route that was added to them. */
export const ROUTES: readonly Route[] = [...listed(SPEC_ROUTES, false), ...listed(GAP_ROUTES, true)];

/** Whether an outlined route covers a concrete one, such as that of a contract. The names of parameters do not count. */
export function isSameRoute(outlined: string, concrete: string): boolean {
  const [[method, path], [concreteMethod, concretePath]] = [parts(outlined), parts(concrete)];
  if (method !== 'ANY' && method !== concreteMethod) return false;
  return path.endsWith('*') ? concretePath.startsWith(path.slice(0, -1)) : path === concretePath;
}

function parts(route: string): [method: string, path: string] {
  const [method = '', path = ''] = route.split(' ');
  return [method, path.replace(/{[^}]*}/g, '{}')];
}

/** Sections that are judged: those without sections of their own below them. */
export const LEAVES: readonly Section[] = SECTIONS.filter(({ id }) => !SECTIONS.some((other) => other.id.startsWith(`${id}.`)));

/** What a tag may name: a section, or a point of its numbered list. */
export const TAGS: ReadonlySet<string> = new Set(
  SECTIONS.flatMap(({ id, points = 0 }) => [id, ...Array.from({ length: points }, (_, i) => `${id}.${i + 1}`)]),
);

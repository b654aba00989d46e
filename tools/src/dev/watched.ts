import { basename, dirname, join, relative } from 'node:path';

import { Fault } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import type { Unit } from '../start/unit.ts';
import type { Inspect } from './options.ts';
import { builtFrom, packagesOf, projectOf, type Project } from './projects.ts';

export interface WatchedUnit {
  unit: Unit;
  /** The projects that it is built from; its own is the first. */
  builtFrom: readonly Project[];
  inspectPort?: number;
}

/** What the checkout has: its projects, and the source of each program of the bundle. */
export interface Checkout {
  root: string;
  projects: readonly Project[];
  programs: Readonly<Record<string, string>>;
}

export interface StandbySettings {
  packages: readonly string[];
  imports: readonly string[];
  entry: string;
  inspect?: Inspect;
}

const STANDBY = join(ROOT, 'tools/dist/dev/standby.js');
/** How long a watched service may take to finish its work. No other replica takes its callers over, and what it leaves undone is redone. */
const SHUTDOWN_SECONDS = '1';

export type Service = Pick<Unit, 'name' | 'entry'>;

/** Returns the names of the services that are meant. A name is that of a service or of an app. Throws a Fault for a name of neither. */
export function servicesCalled(names: readonly string[], services: readonly Service[], checkout: Checkout): string[] {
  const appOf = ({ entry }: Service) => basename(projectOfProgram(entry, checkout).folder);
  const isMeant = (service: Service, name: string) => service.name === name || appOf(service) === name;
  const unknown = names.filter((name) => !services.some((service) => isMeant(service, name)));
  if (unknown.length > 0) {
    const known = [...new Set([...services.map(({ name }) => name), ...services.map(appOf)])];
    throw new Fault(`There is no service '${unknown.join("', '")}' in the stack: name one of ${known.join(', ')}.`, { exitCode: 2 });
  }
  return services.filter((service) => names.some((name) => isMeant(service, name))).map(({ name }) => name);
}

/** Returns these units as they are watched. Their debuggers listen on successive ports. */
export function watchedUnits(units: readonly Unit[], checkout: Checkout, inspect?: Inspect): WatchedUnit[] {
  return units.map((unit, i) => {
    const own = inspect && { ...inspect, port: inspect.port + i };
    const projects = builtFrom(projectOfProgram(unit.entry, checkout), checkout.projects);
    const packages = packagesOf(projects, checkout.projects);
    return { unit: standingBy(unit, packages, checkout, own), builtFrom: projects, ...(own && { inspectPort: own.port }) };
  });
}

function projectOfProgram(entry: string, checkout: Checkout): Project {
  const project = projectOf(builtFileOf(entry, checkout), checkout.projects);
  if (!project) throw new Error(`${entry} is a program of no project`);
  return project;
}

/** Returns the unit as a process that stands by, without a bundle. It has loaded packages before, which is most of a start. */
function standingBy(unit: Unit, packages: readonly string[], checkout: Checkout, inspect: Inspect | undefined): Unit {
  const file = (path: string) => join(checkout.root, builtFileOf(path, checkout));
  const settings: StandbySettings = {
    packages,
    imports: (unit.imports ?? []).map(file),
    entry: file(unit.entry),
    ...(inspect && { inspect }),
  };
  return {
    ...unit,
    entry: STANDBY,
    args: [JSON.stringify(settings)],
    imports: [],
    standsBy: true,
    ...(inspect?.isAwaited && { readyWithinMs: Infinity }),
    env: { ...unit.env, SHUTDOWN_SECONDS, NODE_COMPILE_CACHE: join(checkout.root, '.cache/dev') },
  };
}

/** Returns the built file of a program, from the root: of a program of the bundle, the file that the bundle was made of. */
function builtFileOf(path: string, { root, programs }: Checkout): string {
  const file = relative(root, path);
  const bundled = dirname(file) === 'bundle' ? programs[basename(file, '.mjs')] : undefined;
  return bundled ?? file;
}

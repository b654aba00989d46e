import { Global, Module, type Provider, type Type } from '@nestjs/common';
import type { ProjectionShape } from '@codase/runtime/bus';
import type { LiveKeys } from '@codase/runtime/config';
import type { Entity, Migration } from '@codase/runtime/db';
import type { Check } from '@codase/runtime/service';
import type { Log, Metric } from '@codase/runtime/telemetry';
import type { z } from 'zod';
import type { DeliveryConfig, ForwarderConfig, FrontDoorConfig, RegionConfig } from './config.ts';
import type { AfterRestore, RestoredFrontDoor, RestoredRegion } from './after-restore.service.ts';
import type { Contribution, Hook, Implementation, Requirement } from './hooks.ts';
import type { LogKind } from './log-kinds.ts';

/** The roles that capabilities have parts in, each with its configuration. */
export interface RoleConfigs {
  'front-door': FrontDoorConfig;
  region: RegionConfig;
  delivery: DeliveryConfig;
  forwarder: ForwarderConfig;
}

/** How the rows of a table move with their company to another region. @gap D1-5.6 */
export interface MovingRows {
  /** The column that names the company. */
  owner: string;
  /** The column that tells the rows of one company apart. */
  key: string;
  /** Columns that get these values in the new region, because they say on which side of the move a row is. They are never compared. */
  onArrival?: Readonly<Record<string, unknown>>;
  /** A column of stored secrets, which are bound to the row's key. They are sealed again for the new region, so they are never compared. */
  sealed?: string;
  /** A database function that is called with the company's id after rows of the company have arrived. */
  arrived?: string;
  /**
   * Columns that name rows of moving tables without a foreign key, because a row outlives what it names: the tables. A row that arrives may
   * name rows of its own company and of no other. A foreign key sees to that by itself.
   */
  names?: Readonly<Record<string, readonly string[]>>;
}

/** A table of a region's database: its rows move with their company, or stay, for the reason given. */
type RegionTable = { entity: Entity } & ({ moves: MovingRows } | { stays: string });

/** A pool of connections to the role's database, in addition to the pool that all capabilities share. */
export interface Pool {
  as: symbol;
  name: string;
  size: number;
  /** Whether repositories use the pool too: learning the tables takes 10 ms of CPU. Statements of SQL need none of that. */
  hasEntities?: boolean;
}

/** A table of the front door that a role keeps a replica of. */
export interface Followed {
  table: ProjectionShape<z.ZodType>;
  as: symbol;
  /** The name of the readiness check: a replica that is no longer kept up to date is not ready. */
  check: string;
}

/** What a part builds from the configuration of its role. */
interface Configured {
  providers?: readonly Provider[];
  checks?(log: Log): Readonly<Record<string, Check>>;
  /** Keys that are read again while the role runs. */
  keys?: readonly LiveKeys[];
}

/** What a capability adds to one role. */
export interface Part<Config> {
  /** Entry points over HTTP. */
  http?: readonly Type[];
  /** Entry points over the bus. */
  bus?: readonly Type[];
  /** Providers that work in the background while the role runs. */
  workers?: readonly Type[];
  providers?: readonly Provider[];
  contributes?: readonly Contribution[];
  implements?: readonly Implementation[];
  pools?: readonly Pool[];
  follows?: readonly Followed[];
  configure?(config: Config): Configured;
}

/** One capability of the platform, declared once. `npm run architecture` reads `uses`, `tables` and `reads` from the source. */
export interface Capability {
  /** The name of its folder. */
  name: string;
  /** The capabilities whose index.ts it may import and whose providers it may inject. */
  uses: readonly Capability[];
  /** The tables it owns: no other capability writes a statement on them. */
  tables?: { frontDoor?: readonly Entity[]; region?: readonly RegionTable[] };
  /** Tables of other capabilities that its own statements read, each with the reason why the owner's store is not enough. */
  reads?: Readonly<Record<string, string>>;
  /** What happens to its tables after an older copy of their database was restored. */
  afterRestore?: { frontDoor?: AfterRestore<RestoredFrontDoor>; region?: AfterRestore<RestoredRegion> };
  /** The migrations that create its tables. A migration that creates tables of several capabilities is named by each of them. */
  migrations?: { frontDoor?: readonly Migration[]; region?: readonly Migration[] };
  /** Tables of the front door that it publishes to the regions. */
  publishes?: readonly ProjectionShape<z.ZodType>[];
  /** What it counts and measures. */
  metrics?: Readonly<Record<string, Metric>>;
  /** The kinds of entries it writes into the logs of services. */
  logKinds?: Readonly<Record<string, LogKind>>;
  /** The hooks it calls. The capabilities above it contribute to them. */
  offers?: readonly Hook<unknown>[];
  /** The interfaces that it injects, each of which one capability above it implements. */
  requires?: readonly Requirement<unknown>[];
  parts: { [Role in keyof RoleConfigs]?: Part<RoleConfigs[Role]> };
}

/**
 * Returns the Nest module of a role: one module for each capability that has a part in it. A capability's module imports the modules of the
 * capabilities it uses and of no others, so that Nest refuses to inject what the manifest does not declare.
 */
export function roleModule(role: keyof RoleConfigs, capabilities: readonly Capability[]): Type {
  const modules = new Map<Capability, Type>();
  const moduleFor = (capability: Capability): Type => {
    const known = modules.get(capability);
    if (known) return known;
    const used = capability.uses.filter(({ parts }) => parts[role]).map(moduleFor);
    const module = capabilityModule(capability.name, capability.parts[role]!, used);
    modules.set(capability, module);
    return module;
  };
  const imports = capabilities.filter(({ parts }) => parts[role]).map(moduleFor);
  return named(`${role}:capabilities`, class {}, { imports: [...imports, hooksModule(role, capabilities, imports)] });
}

function capabilityModule(name: string, part: Part<never>, imports: readonly Type[]): Type {
  const { http = [], bus = [], workers = [], providers = [] } = part;
  const provided = [...providers, ...workers];
  return named(name, class {}, {
    imports: [...imports],
    controllers: [...http, ...bus],
    providers: provided,
    exports: provided.map((provider) => (typeof provider === 'function' ? provider : provider.provide)),
  });
}

/**
 * Nest has no providers that several modules add to, so the contributions to a hook are collected here, in the order of the capabilities.
 * Implementations are provided here too, since a capability cannot import the module of one above it.
 */
function hooksModule(role: keyof RoleConfigs, capabilities: readonly Capability[], imports: readonly Type[]): Type {
  const contributions = capabilities.flatMap(({ parts }) => parts[role]?.contributes ?? []);
  const providers = capabilities
    .flatMap(({ offers = [] }) => offers)
    .map((offered) => ({
      provide: offered,
      useFactory: (...contributed: unknown[]) => contributed,
      inject: contributions.filter(({ to }) => to === offered).map(({ by }) => by),
    }));
  const implementations = capabilities
    .flatMap(({ parts }) => parts[role]?.implements ?? [])
    .map(({ of, by }) => ({ provide: of, useExisting: by }));
  const provided = [...providers, ...implementations];
  const module = named(`${role}:hooks`, class {}, {
    imports: [...imports],
    providers: provided,
    exports: provided.map(({ provide }) => provide),
  });
  Global()(module);
  return module;
}

/** Names the class of a module and sets its metadata. Each call needs a class of its own: Nest tells modules apart by them. */
function named(name: string, module: Type, metadata: Parameters<typeof Module>[0]): Type {
  Object.defineProperty(module, 'name', { value: name });
  Module(metadata)(module);
  return module;
}

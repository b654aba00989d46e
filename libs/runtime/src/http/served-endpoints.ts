import { MODULE_METADATA } from '@nestjs/common/constants.js';
import type { DynamicModule, Type } from '@nestjs/common';
import type { Endpoint } from '@codase/contracts';
import { ENDPOINTS } from './serves.ts';

type AnyModule = Type | DynamicModule;

/** The endpoints that a module and its imports really serve, read from their controllers. */
export function servedEndpoints(root: AnyModule): Endpoint[] {
  const seen = new Set<unknown>();
  const found = new Map<string, Endpoint>();
  const visit = (module: AnyModule) => {
    if (seen.has(module)) return;
    seen.add(module);
    for (const controller of parts<Type>(module, MODULE_METADATA.CONTROLLERS))
      for (const contract of endpointsOf(controller)) found.set(contract.name, contract);
    for (const inner of parts<AnyModule>(module, MODULE_METADATA.IMPORTS)) visit(inner);
  };
  visit(root);
  return [...found.values()];
}

function parts<T>(module: AnyModule, key: 'imports' | 'controllers' | (string & {})): T[] {
  const own = 'module' in module ? ((module as unknown as Record<string, T[] | undefined>)[key] ?? []) : [];
  const type = 'module' in module ? module.module : module;
  return [...own, ...((Reflect.getMetadata(key, type) as T[] | undefined) ?? [])];
}

/** The first marks controllers that only point to another base, the second those of endpoints that are not built. */
export const POINTS_ELSEWHERE = Symbol('points elsewhere');
export const STANDS_EMPTY = Symbol('stands empty');

function endpointsOf(controller: Type): Endpoint[] {
  if ([POINTS_ELSEWHERE, STANDS_EMPTY].some((mark) => Reflect.hasMetadata(mark, controller))) return [];
  const methods = Object.getOwnPropertyNames(controller.prototype).map(
    (name) => Object.getOwnPropertyDescriptor(controller.prototype, name)?.value as unknown,
  );
  return methods.flatMap((method) =>
    typeof method === 'function' ? ((Reflect.getMetadata(ENDPOINTS, method) as readonly Endpoint[] | undefined) ?? []) : [],
  );
}

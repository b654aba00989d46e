import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { PATTERN_METADATA } from '@nestjs/microservices/constants.js';

/** Throws for what Nest accepts silently: handlers that it never finds, and controllers that it builds for each message. */
export function checkHandlers(app: INestApplicationContext): void {
  const [discovery, scanner] = [app.get(DiscoveryService, { strict: false }), app.get(MetadataScanner, { strict: false })];
  for (const { instance, name } of discovery.getProviders()) {
    const handler = handlersOf(scanner, instance)[0];
    if (handler) throw new Error(`${name}.${handler} is bound to the bus in a provider: Nest looks for handlers in controllers alone`);
  }
  for (const controller of discovery.getControllers())
    if (!controller.isDependencyTreeStatic())
      throw new Error(`${controller.name}, or something it injects, is request-scoped: Nest would build it anew for each message`);
}

/** The handlers of each class, by prototype: a process that starts several services, as tests do, looks at each class once. */
const known = new WeakMap<object, string[]>();

function handlersOf(scanner: MetadataScanner, instance: unknown): string[] {
  if (typeof instance !== 'object' || instance === null) return [];
  const prototype = Object.getPrototypeOf(instance) as Record<string, unknown> | null;
  if (!prototype) return [];
  const handlers = known.get(prototype) ?? findHandlers(scanner, prototype);
  known.set(prototype, handlers);
  return handlers;
}

function findHandlers(scanner: MetadataScanner, prototype: Record<string, unknown>): string[] {
  return scanner.getAllMethodNames(prototype).filter((name) => Reflect.hasMetadata(PATTERN_METADATA, prototype[name] as object));
}

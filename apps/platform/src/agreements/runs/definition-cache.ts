import type { FlowDefinition } from '@codase/contracts';

/** How many definitions are kept in memory, and how long they may be together as JSON. */
const MAX = { definitions: 200, bytes: 32 * 1024 * 1024 } as const;

/** Keeps the newest definitions in memory. Runs of one version share a definition, which never changes. */
export class DefinitionCache {
  private readonly known = new Map<string, { definition: FlowDefinition; bytes: number }>();
  private bytes = 0;

  get(definition_id: string): FlowDefinition | undefined {
    return this.known.get(definition_id)?.definition;
  }

  /** Adds a definition, and forgets the oldest ones until all fit. */
  put(definition_id: string, definition: FlowDefinition, bytes: number): void {
    this.forget(definition_id);
    this.known.set(definition_id, { definition, bytes });
    this.bytes += bytes;
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MAX.definitions && this.bytes <= MAX.bytes) return;
      this.forget(oldest);
    }
  }

  private forget(definition_id: string): void {
    this.bytes -= this.known.get(definition_id)?.bytes ?? 0;
    this.known.delete(definition_id);
  }
}

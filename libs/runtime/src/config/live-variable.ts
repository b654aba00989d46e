import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { ConfigFault, sourceOf } from './read-config.ts';

/** Keys that a process reads again while it runs, and how its operator tells them apart. */
export interface LiveKeys {
  /** Reads the files again. Throws where one cannot be read or does not fit: what was read before stays in use. */
  reread(): void | Promise<void>;
  /** By the name of the list: the ids of its keys, the one that writes first. An id says nothing of its key. */
  ids(): Readonly<Record<string, readonly string[]>>;
}

/**
 * A variable that is read again from the file its _FILE variable names, so that a key is replaced without a restart. A variable that was
 * given by itself stays as it is.
 */
export class LiveVariable<T> {
  private value: T;
  private text: string | undefined;

  constructor(
    value: T,
    private readonly source?: { path: string; text: string; read(text: string): T },
  ) {
    this.value = value;
    this.text = source?.text;
  }

  /** The variable of a configuration, as its schema reads it. */
  static of<S extends z.ZodObject, N extends keyof z.output<S> & string>(
    schema: S,
    config: z.output<S>,
    name: N,
  ): LiveVariable<z.output<S>[N]> {
    const source = sourceOf(config, name);
    const read = (text: string): z.output<S>[N] => {
      const parsed = (schema.shape[name] as z.ZodType).safeParse(text);
      if (!parsed.success) throw new ConfigFault(parsed.error.issues.map(({ message }) => `${name}: ${message}`));
      return parsed.data as z.output<S>[N];
    };
    return new LiveVariable(config[name], source && { ...source, read });
  }

  get current(): T {
    return this.value;
  }

  /** As its file has it now; what was read last while that cannot be read or does not fit. */
  latest(): T {
    try {
      this.reread();
    } catch {
      // whoever connects with what was read last says what is wrong
    }
    return this.value;
  }

  /** Says whether the variable is another now. */
  reread(): boolean {
    if (!this.source) return false;
    const text = readFileSync(this.source.path, 'utf8').trim();
    if (text === this.text) return false;
    this.value = this.source.read(text);
    this.text = text;
    return true;
  }
}

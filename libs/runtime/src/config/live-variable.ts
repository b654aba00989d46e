import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { ConfigFault, sourceOf } from './read-config.ts';

/** Keys that a process reads again while it runs, and the ids by which its operator tells them apart. */
export interface LiveKeys {
  /** Reads the files again. Throws when one cannot be read or does not fit: the keys that were read before stay in use. */
  reread(): void | Promise<void>;
  /** The ids of the keys by the name of their list; the key that writes comes first. An id says nothing of its key. */
  ids(): Readonly<Record<string, readonly string[]>>;
}

/** A variable that is read again from the file of its _FILE variable, so that a key can be replaced without a restart. */
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

  /** The value that the file has now; the one that was read last when the file cannot be read or does not fit. */
  latest(): T {
    try {
      this.reread();
    } catch {
      // a connection that is made with the last value says what is wrong
    }
    return this.value;
  }

  /** Reads the file again; returns whether the value has changed. */
  reread(): boolean {
    if (!this.source) return false;
    const text = readFileSync(this.source.path, 'utf8').trim();
    if (text === this.text) return false;
    this.value = this.source.read(text);
    this.text = text;
    return true;
  }
}

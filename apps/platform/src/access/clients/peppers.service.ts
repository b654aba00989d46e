import type { LiveKeys, LiveVariable } from '@codase/runtime/config';
import { writingKey, type KeyList, type ListedKey } from '../../kit/secrets/key-list.ts';

/** The peppers of the front door. When another pepper becomes the first, all clients are published again. */
export class Peppers implements KeyList, LiveKeys {
  private publishedUnder: string;
  private publish: (() => Promise<void>) | undefined;

  constructor(private readonly variable: LiveVariable<readonly ListedKey[]>) {
    this.publishedUnder = writingKey(this).id;
  }

  get current(): readonly ListedKey[] {
    return this.variable.current;
  }

  /** Sets what is called after a rotation. It is called again until it succeeds. */
  whenRotated(publish: () => Promise<void>): void {
    this.publish = publish;
  }

  async reread(): Promise<void> {
    this.variable.reread();
    const { id } = writingKey(this);
    if (id === this.publishedUnder) return;
    await this.publish?.();
    this.publishedUnder = id;
  }

  ids(): Record<string, readonly string[]> {
    return { client_secret_pepper: this.current.map(({ id }) => id) };
  }
}

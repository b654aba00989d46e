import { connections, operation, registry, Refusal } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import type { KeyChecks } from './key-checks.ts';

/** The reader that something is sealed to. An event `message_received` carries the key; otherwise the client looks it up. */
export interface Reader {
  connection_id: string;
  person_public_key?: string | undefined;
  /** The share code of the person, when it is known: it saves a read of the connection. */
  share_code?: string | null | undefined;
}

/** A reader who is known by share code alone. */
export interface ReaderByCode {
  connection_id?: undefined;
  person_public_key?: string | undefined;
  share_code: string;
}

/** How many keys are remembered. They are not read again, since a person's key is never replaced. @spec D1-6.1 */
const MAX_KEYS = 10_000;

/** A key, and whether the transparency log was seen to have it. */
interface KnownKey {
  key: string;
  isLogged: boolean;
}

/** The public keys of readers, by their connections or share codes. A key is checked in the transparency log before it is used. */
export class ReaderKeys {
  private readonly known = new Map<string, KnownKey>();

  constructor(
    private readonly bus: Bus,
    private readonly service: string,
    private readonly checks: KeyChecks,
  ) {}

  async of({ connection_id, person_public_key, share_code }: Reader | ReaderByCode): Promise<string> {
    const name = connection_id ?? `code ${share_code}`;
    const known = this.known.get(name);
    if (known?.isLogged && known.key === (person_public_key ?? known.key)) return known.key;
    let read: Promise<string | null> | undefined;
    const shareCode = () => (read ??= share_code ? Promise.resolve(share_code) : this.shareCodeOf(connection_id));
    const key = person_public_key ?? known?.key ?? (await this.find(await shareCode()));
    this.remember(name, { key, isLogged: await this.checks.check(shareCode, key) });
    return key;
  }

  /** Forgets all keys, so that the next ones are looked up: a reader turned out to have another key than the known one. */
  forget(): void {
    this.known.clear();
  }

  private remember(name: string, key: KnownKey): void {
    if (this.known.size >= MAX_KEYS && !this.known.has(name)) this.known.delete(this.known.keys().next().value!);
    this.known.set(name, key);
  }

  private async find(shareCode: string | null): Promise<string> {
    if (!shareCode) throw new Refusal('keys.not_found');
    return (await this.bus.request(operation(registry.readPublicKey), { service: this.service }, { params: { shareCode } })).public_key;
  }

  private async shareCodeOf(connectionId: string | undefined): Promise<string | null> {
    if (!connectionId) return null;
    const { service } = this;
    return (await this.bus.request(operation(connections.readConnection), { service }, { params: { connectionId } })).share_code;
  }
}

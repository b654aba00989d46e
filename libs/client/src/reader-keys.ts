import { connections, operation, registry, Refusal } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';

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

/** The public keys of readers, by their connections or share codes. */
export class ReaderKeys {
  private readonly known = new Map<string, string>();

  constructor(
    private readonly bus: Bus,
    private readonly service: string,
  ) {}

  async of({ connection_id, person_public_key, share_code }: Reader | ReaderByCode): Promise<string> {
    const name = connection_id ?? `code ${share_code}`;
    const key = person_public_key ?? this.known.get(name) ?? (await this.find(connection_id, share_code));
    if (this.known.size >= MAX_KEYS && !this.known.has(name)) this.known.delete(this.known.keys().next().value!);
    this.known.set(name, key);
    return key;
  }

  /** Forgets all keys, so that the next ones are looked up: a reader turned out to have another key than the known one. */
  forget(): void {
    this.known.clear();
  }

  private async find(connectionId: string | undefined, given: string | null | undefined): Promise<string> {
    const shareCode = given ?? (connectionId && (await this.shareCodeOf(connectionId)));
    if (!shareCode) throw new Refusal('keys.not_found');
    return (await this.bus.request(operation(registry.readPublicKey), { service: this.service }, { params: { shareCode } })).public_key;
  }

  private async shareCodeOf(connectionId: string): Promise<string | null> {
    const { service } = this;
    return (await this.bus.request(operation(connections.readConnection), { service }, { params: { connectionId } })).share_code;
  }
}

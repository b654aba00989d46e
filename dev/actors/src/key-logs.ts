import { auditLog, customer, Refusal, type Output } from '@codase/contracts';
import { KeyLog, publicKeySha256, type SeenHead } from '@codase/crypto';
import { Facet, type Stranger } from './stranger.ts';

type Base = Output<typeof auditLog.readLogKeys>['bases'][number];
/** A key that a phone seals to. */
interface SealingKey {
  kind: 'account' | 'service';
  owner: string;
  key_sha256: string;
}
type Service = Pick<Output<typeof customer.readServiceCard>, 'service_id' | 'public_key'>;

/**
 * The transparency logs, as a phone follows them: before it seals to a key, it sees that the log has it, and that the log extends what it
 * saw before. It does so once it is told the time.
 */
export class KeyLogs extends Facet<Pick<Stranger, 'asks' | 'frontDoorUrl'>> {
  private readonly logs = new Map<string, KeyLog>();
  private clock: (() => Date) | undefined;

  /** Lets the phone check keys from now on, by its clock. */
  follows(clock: () => Date): void {
    this.clock = clock;
  }

  /** Checks the key of a service, which some region holds. Throws when no log shows it. */
  async checksService({ service_id, public_key }: Service): Promise<void> {
    if (this.clock) await this.checks('service', service_id, public_key);
  }

  /** Checks a key at the base that holds it. */
  async checks(kind: SealingKey['kind'], owner: string, public_key: string): Promise<void> {
    const { bases } = await this.actor.asks(auditLog.readLogKeys, {});
    const key = { kind, owner, key_sha256: await publicKeySha256(public_key) };
    const holders = bases.filter(({ base }) => (base === 'front-door') === (kind === 'account'));
    for (const base of holders) if (await this.isAt(base, key)) return;
    throw new Refusal('keys.not_logged');
  }

  private async isAt(base: Base, key: SealingKey): Promise<boolean> {
    try {
      const ask = (seen: SeenHead | undefined) => this.proof(base, key, seen);
      await this.logOf(base).check(key, ask, () => base.keys);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.key === 'keys.not_logged') return false;
      throw error;
    }
  }

  private async proof({ address }: Base, params: SealingKey, seen: SeenHead | undefined) {
    const query = seen ? { seen_log: String(seen.log), seen_size: String(seen.size) } : {};
    return this.actor.asks(auditLog.proveKey, { params, query }, { at: this.urlOf(address) });
  }

  /** The address of a log has no scheme: it is that of the front door. */
  private urlOf(address: string): string {
    return `${new URL(this.actor.frontDoorUrl).protocol}//${address.split('/')[0]}`;
  }

  private logOf({ address, keys }: Base): KeyLog {
    const log = this.logs.get(address) ?? new KeyLog({ now: () => this.clock!().getTime(), keys, address });
    this.logs.set(address, log);
    return log;
  }
}

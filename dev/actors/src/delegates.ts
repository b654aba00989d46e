import { delegates, delegations, type Output } from '@codase/contracts';
import { importValuePrivateKey, openEncryptedPrivateKey, openValue } from '@codase/crypto/open';
import { opens, seals, type Keys } from './keys.ts';
import type { Stranger } from './stranger.ts';

type Asks = Pick<Stranger, 'asks'>;
type Delegate = Output<typeof delegates.addDelegate>;
type Delegation = Output<typeof delegations.listDelegations>['items'][number];
type DelegatedService = Output<typeof delegations.readDelegatedKey>;
interface HasId {
  id: string;
}

/** How a company manages its delegates. @spec D1-5.8 */
export class Delegates {
  private readonly company: Asks;

  constructor(company: Asks) {
    this.company = company;
  }

  async lists(): Promise<Delegate[]> {
    return (await this.company.asks(delegates.listDelegates, { query: {} })).items;
  }

  adds({ share_code }: { share_code: string }): Promise<Delegate> {
    return this.company.asks(delegates.addDelegate, { body: { share_code } });
  }

  removes({ id: delegateId }: HasId): Promise<unknown> {
    return this.company.asks(delegates.removeDelegate, { params: { delegateId } });
  }

  /** Grants a service. With a passphrase, the key of the service is handed over: sealed to the delegate, as the portal's page does. */
  async grants(delegate: Pick<Delegate, 'id' | 'public_key'>, serviceId: string, passphrase?: string): Promise<Delegate> {
    const body = passphrase === undefined ? {} : { passphrase: await seals(delegate, passphrase) };
    return this.company.asks(delegates.grantService, { params: { delegateId: delegate.id, serviceId }, body });
  }

  revokes({ id: delegateId }: HasId, serviceId: string): Promise<unknown> {
    return this.company.asks(delegates.revokeService, { params: { delegateId, serviceId } });
  }
}

/** What a delegate does with what companies granted. @gap D1-5.8 */
export class Delegations {
  private readonly user: Asks & { readonly keys: Keys };

  constructor(user: Asks & { readonly keys: Keys }) {
    this.user = user;
  }

  async lists(): Promise<Delegation[]> {
    return (await this.user.asks(delegations.listDelegations, {})).items;
  }

  reads({ id: delegationId }: HasId, serviceId: string): Promise<DelegatedService> {
    return this.user.asks(delegations.readDelegatedKey, { params: { delegationId, serviceId } });
  }

  leaves({ id: delegationId }: HasId): Promise<unknown> {
    return this.user.asks(delegations.leaveDelegation, { params: { delegationId } });
  }

  /** Opens a value that was sealed to a granted service, with the key that was handed over. */
  async opens(delegation: HasId, serviceId: string, wrapper: string): Promise<string> {
    const { key } = await this.reads(delegation, serviceId);
    if (!key) throw new Error('the key of the service was not handed over');
    const passphrase = await opens(this.user.keys, key.passphrase);
    return openValue(await importValuePrivateKey(await openEncryptedPrivateKey(key.encrypted_private_key, passphrase)), wrapper);
  }
}

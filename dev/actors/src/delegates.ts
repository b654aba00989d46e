import { delegates, delegations, type Output } from '@codase/contracts';
import { importValuePrivateKey, openEncryptedPrivateKey, openValue } from '@codase/crypto/open';
import { opens, seals, type Keys } from './keys.ts';
import { Facet, type Asks } from './stranger.ts';

type Delegate = Output<typeof delegates.addDelegate>;
type Delegation = Output<typeof delegations.listDelegations>['items'][number];
type DelegatedService = Output<typeof delegations.readDelegatedKey>;
interface HasId {
  id: string;
}

/** How a company manages its delegates. @spec D1-5.8 */
export class Delegates extends Facet {
  async lists(): Promise<Delegate[]> {
    return (await this.actor.asks(delegates.listDelegates, { query: {} })).items;
  }

  adds({ share_code }: { share_code: string }): Promise<Delegate> {
    return this.actor.asks(delegates.addDelegate, { body: { share_code } });
  }

  removes({ id: delegateId }: HasId): Promise<unknown> {
    return this.actor.asks(delegates.removeDelegate, { params: { delegateId } });
  }

  /** Grants a service. With a passphrase, the key of the service is handed over: sealed to the delegate, as the portal's page does. */
  async grants(delegate: Pick<Delegate, 'id' | 'public_key'>, serviceId: string, passphrase?: string): Promise<Delegate> {
    const body = passphrase === undefined ? {} : { passphrase: await seals(delegate, passphrase) };
    return this.actor.asks(delegates.grantService, { params: { delegateId: delegate.id, serviceId }, body });
  }

  revokes({ id: delegateId }: HasId, serviceId: string): Promise<unknown> {
    return this.actor.asks(delegates.revokeService, { params: { delegateId, serviceId } });
  }
}

/** What a delegate does with what companies granted. @gap D1-5.8 */
export class Delegations extends Facet<Asks & { readonly keys: Keys }> {
  async lists(): Promise<Delegation[]> {
    return (await this.actor.asks(delegations.listDelegations, {})).items;
  }

  reads({ id: delegationId }: HasId, serviceId: string): Promise<DelegatedService> {
    return this.actor.asks(delegations.readDelegatedKey, { params: { delegationId, serviceId } });
  }

  accepts({ id: delegationId }: HasId): Promise<unknown> {
    return this.actor.asks(delegations.acceptDelegation, { params: { delegationId } });
  }

  leaves({ id: delegationId }: HasId): Promise<unknown> {
    return this.actor.asks(delegations.leaveDelegation, { params: { delegationId } });
  }

  /** Opens a value that was sealed to a granted service, with the key that was handed over. */
  async opens(delegation: HasId, serviceId: string, wrapper: string): Promise<string> {
    const { key } = await this.reads(delegation, serviceId);
    if (!key) throw new Error('the key of the service was not handed over');
    const passphrase = await opens(this.actor.keys, key.passphrase);
    return openValue(await importValuePrivateKey(await openEncryptedPrivateKey(key.encrypted_private_key, passphrase)), wrapper);
  }
}

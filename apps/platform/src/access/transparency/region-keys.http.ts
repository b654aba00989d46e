import { Controller } from '@nestjs/common';
import { auditLog, FRONT_DOOR, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { Peers } from '../../foundation/peers/index.ts';
import { FRONT_DOOR_BASE } from '../tokens/index.ts';
import { KeyProofs } from './key-proofs.service.ts';
import { keptOf } from './kept-of.ts';
import { LogSigners } from './log-signers.service.ts';

/** Proofs of keys for clients that reach nothing but their region. */
@Controller()
export class RegionKeysHttp {
  constructor(
    private readonly proofs: KeyProofs,
    private readonly signers: LogSigners,
    private readonly frontDoor: FrontDoorRequests,
    private readonly peers: Peers,
  ) {}

  /** Shows that a key is in the log of the base that holds it: this region has those of its services, the front door all others. */
  @Serves(auditLog.readKeyProof)
  async prove({ params: key, query }: Input<typeof auditLog.readKeyProof>) {
    const [seen, isHere] = [keptOf(query), key.kind === 'service'];
    const base = isHere ? this.peers.region : FRONT_DOOR_BASE;
    const proof = isHere
      ? await this.proofs.prove(key, seen)
      : await this.frontDoor.request(FRONT_DOOR.proveKey, {}, { key, ...(seen && { seen }) });
    return { ...proof, base, keys: this.signers.of(base) };
  }
}

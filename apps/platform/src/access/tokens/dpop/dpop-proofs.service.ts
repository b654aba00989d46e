import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Call } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from '../../../foundation/regions/index.ts';
import { METRICS } from '../metrics.ts';
import { PROOF_FAULTS, readProof, type DpopProof, type ProofFault, type ProvenRequest } from './dpop-proof.ts';
import { UsedProofs } from './used-proofs.store.ts';

/** A call as far as a proof is about it. */
export type ProvenCall = Pick<Call, 'method' | 'path' | 'headers'>;

/** Checks that callers hold the keys of their tokens: demonstrating proof of possession (RFC 9449). @gap D1-5.4 */
@Injectable()
export class DpopProofs {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
    private readonly used: UsedProofs,
  ) {}

  /** Takes the proof of a call, once. `refusal` makes the error of a proof that does not fit from what is wrong with it. */
  async take({ method, path, headers }: ProvenCall, refusal: (why: string) => Error, bound?: ProvenRequest['bound']): Promise<DpopProof> {
    const url = `${this.ownUrl}${path}`;
    const proof = readProof(headers['dpop'] as string | undefined, { method, url, bound }, this.clock.now());
    const fault = typeof proof === 'string' ? proof : (await this.used.use(proof.jkt, proof.claims)) ? undefined : 'replayed';
    if (fault === undefined) return proof as DpopProof;
    throw this.refused(fault, refusal);
  }

  /** Counts a refused proof and returns its refusal. */
  refused(fault: ProofFault, refusal: (why: string) => Error): Error {
    count(METRICS.proofsRefused, { 'codase.fault': fault });
    return refusal(PROOF_FAULTS[fault]);
  }

  private get ownUrl(): string {
    return (this.here.base === 'front-door' ? this.bases.front_door_url : apiUrlOf(this.bases, this.here.region)!).replace(/\/$/, '');
  }
}

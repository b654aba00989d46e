import { Controller } from '@nestjs/common';
import { auditLog, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { KeyProofs } from './key-proofs.service.ts';
import { keptOf } from './kept-of.ts';
import { LogSigners } from './log-signers.service.ts';
import { TransparencyLog } from './transparency-log.service.ts';

/** The transparency log of this base, for anyone. */
@Controller()
export class TransparencyHttp {
  constructor(
    private readonly log: TransparencyLog,
    private readonly proofs: KeyProofs,
    private readonly signers: LogSigners,
  ) {}

  @Serves(auditLog.readLogHead)
  async head() {
    return { content_type: 'text/plain; charset=utf-8', bytes: new Uint8Array(await this.log.checkpoint()) };
  }

  @Serves(auditLog.readLogLeaves)
  async leaves({ params: { log, page } }: Input<typeof auditLog.readLogLeaves>) {
    return { content_type: 'application/octet-stream', bytes: new Uint8Array(await this.log.leaves(Number(log), Number(page))) };
  }

  @Serves(auditLog.readLogMirror)
  async mirror({ params: { base } }: Input<typeof auditLog.readLogMirror>) {
    return { heads: await this.log.mirror(base) };
  }

  @Serves(auditLog.proveKey)
  prove({ params, query }: Input<typeof auditLog.proveKey>) {
    return this.proofs.prove(params, keptOf(query));
  }

  @Serves(auditLog.readLogKeys)
  keys() {
    return { bases: this.signers.all() };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type KeyProof, type LogKept, type ReadKey } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { AUDIT_DB } from '../../foundation/audit/index.ts';
import { findLoggedKey } from './logged-keys.store.ts';
import { LogNodes } from './log-nodes.service.ts';
import { consistencyPath, inclusionPath, type RootOf } from './merkle-proofs.ts';
import { TransparencyLog } from './transparency-log.service.ts';

/** Shows that the transparency log of this base has a public key. @gap D1-8 */
@Injectable()
export class KeyProofs {
  constructor(
    @Inject(AUDIT_DB) private readonly db: DataSource,
    private readonly log: TransparencyLog,
    private readonly nodes: LogNodes,
  ) {}

  /** Returns the proof for a key, and that the log extends what the reader has seen of it. */
  async prove(key: ReadKey, seen: LogKept = { log: 0, size: 0 }): Promise<KeyProof> {
    const found = await findLoggedKey(this.db, key);
    if (!found) throw new Refusal('keys.not_logged');
    if (found.log === null) throw new Refusal('keys.not_logged_yet');
    const leaf = Number(found.leaf);
    await this.log.headFrom({ log: found.log, size: leaf + 1 });
    const { log, tree, note } = await this.log.headFrom(seen);
    if (log !== found.log || tree.size <= leaf) throw new Refusal('keys.not_logged_yet');
    const rootOf: RootOf = (from, to) => this.nodes.root(log, from, to);
    const isSeen = seen.log === log && seen.size <= tree.size;
    return {
      at: found.at.toISOString(),
      salt: found.salt,
      entry_salt: found.entry_salt,
      leaf,
      path: inBase64(await inclusionPath(rootOf, leaf, tree.size)),
      head: note.toString(),
      consistency: isSeen ? inBase64(await consistencyPath(rootOf, seen.size, tree.size)) : null,
    };
  }
}

const inBase64 = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('base64'));

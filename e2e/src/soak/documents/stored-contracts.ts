import { X509Certificate } from 'node:crypto';
import { many, openDatabase, sql } from '@codase/runtime/db';
import type { Cleanup } from '../cleanup.ts';

/** A PDF that needs a signature, as a region's database has it. */
export interface StoredContract {
  document_id: string;
  is_sealed: boolean;
  acts: number;
  /** The parties that have a payload. The company has one only of the sealed PDF. */
  readers: readonly string[];
}

interface SealCounts {
  sealsWithoutAct: number;
  actsWithoutSeal: number;
  /** Signatures beyond the one that each contract needs, and contracts that are in two regions. */
  doubledActs: number;
}

/** Checks "No seal, no act" in the stored contracts at the end. A seal is whole when both parties have the sealed PDF. @spec D1-2.12.5 */
export function countSeals(contracts: readonly StoredContract[]): SealCounts {
  const isWhole = ({ is_sealed, readers }: StoredContract) => is_sealed && readers.includes('company') && readers.includes('recipient');
  const hasSome = ({ is_sealed, readers }: StoredContract) => is_sealed || readers.includes('company');
  const ids = new Set(contracts.map(({ document_id }) => document_id));
  return {
    sealsWithoutAct: contracts.filter((contract) => contract.acts === 0 && hasSome(contract)).length,
    actsWithoutSeal: contracts.filter((contract) => contract.acts > 0 && !isWhole(contract)).length,
    doubledActs: contracts.reduce((extra, { acts }) => extra + Math.max(0, acts - 1), contracts.length - ids.size),
  };
}

type Database = Awaited<ReturnType<typeof openDatabase>>;

export class StoredContracts {
  private constructor(private readonly databases: readonly Database[]) {}

  static async open(urls: readonly string[], cleanup: Cleanup): Promise<StoredContracts> {
    const databases = await Promise.all(urls.map((url) => openDatabase({ url, name: 'stored-contracts', pool: 1 })));
    cleanup.push(() => Promise.all(databases.map((database) => database.destroy())));
    return new StoredContracts(databases);
  }

  contracts(): Promise<StoredContract[]> {
    return this.everywhere<StoredContract>(sql`
      select document_id, sealed_at is not null as is_sealed,
             (select count(*)::int from document_signature s where s.document_id = d.document_id) as acts,
             array(select reader from document_content c where c.document_id = d.document_id) as readers
        from document d
       where requires_signature and payload_kind = 'file'`);
  }

  async certificates(): Promise<X509Certificate[]> {
    const rows = await this.everywhere<{ certificate_pem: string }>(sql`select certificate_pem from seal_certificate`);
    return rows.map(({ certificate_pem }) => new X509Certificate(certificate_pem));
  }

  private async everywhere<Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> {
    return (await Promise.all(this.databases.map((database) => many<Row>(database, query)))).flat();
  }
}

import { X509Certificate } from 'node:crypto';
import { many, openDatabase, sql } from '@codase/runtime/db';
import type { Cleanup } from '../cleanup.ts';
import type { StoredContract } from './seal-counts.ts';

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

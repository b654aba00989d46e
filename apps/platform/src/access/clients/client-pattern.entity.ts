import { Entity, PrimaryColumn } from 'typeorm';

/** A pattern of what a client may call. @spec D1-9 */
@Entity({ name: 'client_pattern' })
export class ClientPatternEntity {
  @PrimaryColumn('text') client_id!: string;
  @PrimaryColumn('text') pattern!: string;
}

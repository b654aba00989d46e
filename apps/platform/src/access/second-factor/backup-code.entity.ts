import { Entity, PrimaryColumn } from 'typeorm';

/** A backup code of a second factor, by its hash. */
@Entity({ name: 'backup_code' })
export class BackupCodeEntity {
  @PrimaryColumn('text') factor_id!: string;
  @PrimaryColumn('text') code_hash!: string;
}

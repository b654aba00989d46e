import type { FieldTypeRow } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A type of fields, as regions know it. */
@Entity({ name: 'field_type' })
export class FieldTypeEntity {
  @PrimaryColumn('text') type!: string;
  @Column('jsonb') row!: FieldTypeRow;
}

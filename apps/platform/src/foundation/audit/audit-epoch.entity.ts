import { Entity, PrimaryColumn } from 'typeorm';

/** The number of restores that this database has been through: one row. */
@Entity({ schema: 'audit', name: 'epoch' })
export class AuditEpochEntity {
  @PrimaryColumn('integer') epoch!: number;
}

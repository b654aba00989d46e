import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A field that a company or a person has added to the own profile. */
@Entity({ name: 'contact_field' })
export class ContactFieldEntity {
  @PrimaryColumn('text') owner_user_id!: string;
  @PrimaryColumn('text') slug!: string;
  @Column('text') label!: string;
  @Column('text') type!: string;
  @Column('text') usertype!: string;
  @Column('text', { array: true, nullable: true }) options!: string[] | null;
}

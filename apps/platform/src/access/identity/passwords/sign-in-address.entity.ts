import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An address from which an account has signed in. */
@Entity({ name: 'sign_in_address' })
export class SignInAddressEntity {
  @PrimaryColumn('text') account_key!: string;
  @PrimaryColumn('text') address!: string;
  @Column('timestamptz') last_at!: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Wrong passwords for an account from one kind of source. */
@Entity({ name: 'password_failures' })
export class PasswordFailuresEntity {
  @PrimaryColumn('text') account_key!: string;
  @PrimaryColumn('text') source!: string;
  @Column('integer') failures!: number;
  @Column('timestamptz') last_at!: Date;
  @Column('timestamptz') next_at!: Date;
}

/** An address from which an account has signed in. */
@Entity({ name: 'sign_in_address' })
export class SignInAddressEntity {
  @PrimaryColumn('text') account_key!: string;
  @PrimaryColumn('text') address!: string;
  @Column('timestamptz') last_at!: Date;
}

import { Injectable } from '@nestjs/common';
import type { DELEGATION_SUBJECTS } from '@codase/contracts';
import type { Handlers } from '../../foundation/peers/index.ts';
import { findProfile, holdAccount, Home } from '../../foundation/regions/index.ts';
import { noteDelegating } from './delegating-companies.store.ts';

type Subjects = typeof DELEGATION_SUBJECTS;

/** Keeps in the home region of a user which companies may have made the user their delegate. @gap D1-5.8 */
@Injectable()
export class DelegatingCompanies implements Handlers<Pick<Subjects, 'noteDelegating'>> {
  constructor(private readonly home: Home) {}

  /** Notes a company, unless it was deleted, that is about to make a user of this region its delegate. Returns the user's name. */
  noteDelegating({ user_id, company_user_id }: { user_id: string; company_user_id: string }): Promise<{ display_name: string }> {
    return this.home.write(user_id, async (tx) => {
      await holdAccount(tx, company_user_id);
      await noteDelegating(tx, user_id, company_user_id);
      const { display_name } = (await findProfile(tx, user_id))!;
      return { display_name };
    });
  }
}

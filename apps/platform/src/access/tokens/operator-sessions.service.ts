import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { EntityManager } from 'typeorm';
import { Audit, OPERATOR_INITIATOR } from '../../foundation/audit/index.ts';
import { ClientsTable } from '../clients/index.ts';
import { AccountsStore } from '../identity/index.ts';
import { LocalSessions } from './local-sessions.service.ts';

/** Ends the sessions of a user at the request of an operator. This needs no region, so it works while a region is paused. */
@Injectable()
export class OperatorSessions {
  constructor(
    private readonly sessions: LocalSessions,
    private readonly accounts: AccountsStore,
    private readonly clients: ClientsTable,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async endAllOf(user_id: string): Promise<{ sessions: number }> {
    if (!(await this.accounts.find(user_id))) throw unknownAccount(user_id);
    const sessions = await this.sessions.endAllOf(user_id, OPERATOR_INITIATOR);
    return { sessions };
  }

  /** Disables or enables an account. Its sessions end for good, and every base refuses its clients until it is enabled again. */
  async setAccountDisabled(user_id: string, disabled: boolean): Promise<{ sessions: number }> {
    const sessions = await this.clients.changeCompany(user_id, (tx) => this.write(tx, user_id, disabled));
    this.sessions.countEnded(sessions);
    return { sessions };
  }

  private async write(tx: EntityManager, user_id: string, disabled: boolean): Promise<number> {
    if (!(await this.accounts.setDisabled(user_id, disabled ? this.clock.now() : null, tx))) throw unknownAccount(user_id);
    const { sessions, to_publish } = disabled ? await this.sessions.endAllIn(tx, user_id) : { sessions: 0, to_publish: [] };
    const act = disabled ? 'account.disabled' : 'account.enabled';
    await this.audit.record(tx, { act, account_id: user_id, initiator: OPERATOR_INITIATOR, details: { sessions } });
    await this.sessions.publishEnds(to_publish);
    return sessions;
  }
}

const unknownAccount = (user_id: string) => new Refusal('request.invalid').because(`There is no account ${user_id}`);

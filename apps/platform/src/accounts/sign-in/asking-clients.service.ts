import { Injectable } from '@nestjs/common';
import { ClientsStore } from '../../access/clients/index.ts';
import { AccountsStore } from '../../access/identity/index.ts';
import { AppSignIns } from '../sign-in-apps/index.ts';
import type { AskingClient } from './authorization-request.ts';

/** Finds clients that send users to the sign-in page, each with the level of its company. */
@Injectable()
export class AskingClients {
  constructor(
    private readonly clients: ClientsStore,
    private readonly accounts: AccountsStore,
    private readonly apps: AppSignIns,
  ) {}

  async find(client_id: string): Promise<AskingClient | undefined> {
    const client = await this.clients.findForSignIn(client_id);
    if (!client) return undefined;
    const level = client.company_user_id === null ? undefined : await this.accounts.levelOf(client.company_user_id);
    const app = client.kind === 'app' && { app: await this.apps.requestOf(client_id) };
    return { ...client, level: level ?? null, ...app };
  }
}

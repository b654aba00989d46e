import { Inject, Injectable } from '@nestjs/common';
import type { Input, tokens } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { ClientAuthenticator, type ClientRow } from '../clients/index.ts';
import { verifyToken } from './access-token.ts';
import { hashGrantSecret } from './grant-secret.ts';
import { LocalSessions } from './local-sessions.service.ts';
import { SIGNING_KEYS, SigningKeys } from './signing-keys.service.ts';
import { SessionsStore } from './sessions.store.ts';

/** Ends a token that its client may revoke. */
type End = () => Promise<void>;

/**
 * Revokes tokens. The token of another client is treated like an unknown one. Revocation works whatever state a region is in, as sessions
 * are rows of the front door and the revocation of a stolen token must not wait. @gap D1-4.1 @gap D1-7
 */
@Injectable()
export class RevocationService {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly sessions: LocalSessions,
    private readonly store: SessionsStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
  ) {}

  async revoke({ token, ...credentials }: Input<typeof tokens.revokeToken>['body']): Promise<void> {
    const client = await this.clients.authenticate(credentials);
    const end = (await this.accessToken(client, token)) ?? (await this.refreshToken(client, token));
    await end?.();
  }

  private async accessToken({ client_id }: ClientRow, token: string): Promise<End | undefined> {
    const claims = verifyToken(this.keys, this.clock.now(), token);
    return claims?.client_id === client_id ? () => this.sessions.endToken(claims) : undefined;
  }

  private async refreshToken({ client_id }: ClientRow, token: string): Promise<End | undefined> {
    const session = await this.store.ofRefresh(client_id, hashGrantSecret(token));
    return session && (() => this.sessions.end(session.session_id, 'revoked'));
  }
}

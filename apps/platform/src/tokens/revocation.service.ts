import { Inject, Injectable } from '@nestjs/common';
import type { Input, tokens } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { ClientRow } from '../clients/index.ts';
import { HOMES, type Homes } from '../regions/index.ts';
import { Modes } from '../regions/index.ts';
import { verifyToken } from './access-token.ts';
import { hashGrantSecret } from './grant-secret.ts';
import { LocalSessions } from './local-sessions.service.ts';
import { ClientAuthenticator } from '../clients/index.ts';
import { SIGNING_KEYS, SigningKeys } from './signing-keys.service.ts';
import { SessionsStore } from './sessions.store.ts';

/** A token that its client may end, and the region whose state decides whether now. */
interface Endable {
  region: string | undefined;
  end(): Promise<void>;
}

/** Somebody else's token is as unknown as one that never was. @gap D1-4.1 */
@Injectable()
export class RevocationService {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly sessions: LocalSessions,
    private readonly store: SessionsStore,
    @Inject(HOMES) private readonly homes: Homes,
    private readonly modes: Modes,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
  ) {}

  async revoke({ token, ...credentials }: Input<typeof tokens.revokeToken>['body']): Promise<void> {
    const client = await this.clients.authenticate(credentials);
    const found = (await this.accessToken(client, token)) ?? (await this.refreshToken(client, token));
    const region = client.region ?? found?.region;
    if (region !== undefined) this.modes.checkWritable(region);
    await found?.end();
  }

  private async accessToken({ client_id }: ClientRow, token: string): Promise<Endable | undefined> {
    const claims = verifyToken(this.keys, this.clock.now(), token);
    if (claims?.client_id !== client_id) return undefined;
    return { region: await this.homes.regionOf(claims.sub), end: () => this.sessions.endToken(claims) };
  }

  private async refreshToken({ client_id }: ClientRow, token: string): Promise<Endable | undefined> {
    const session = await this.store.ofRefresh(client_id, hashGrantSecret(token));
    return session && { region: session.region, end: () => this.sessions.end(session.session_id, 'revoked') };
  }
}

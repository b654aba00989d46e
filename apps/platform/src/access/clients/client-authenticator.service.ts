import { Inject, Injectable } from '@nestjs/common';
import { Refusal, tokens } from '@codase/contracts';
import { identifyInitiator } from '@codase/runtime/initiator';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from '../../foundation/regions/index.ts';
import { ASSERTION_TYPE, isCurrent, readAssertion, verifiedAssertion, type SentAssertion } from './client-assertion.ts';
import { CLIENT_LOOKUP, isPublic, type ClientLookup, type ClientRow } from './client-row.ts';
import { digestSecret, matchingVerifier } from './client-secret.ts';
import { ClientsReplica } from './clients-replica.service.ts';
import { METRICS } from './metrics.ts';
import { UsedAssertions } from './used-assertions.store.ts';

/** What a base can do about a secret whose hash is not of the newest form. */
export interface SecretHashes {
  /** Whether the secret is that of a client whose hash the verifiers cannot check. Refuses when only another base can check it. */
  provesOldForm(client: ClientRow, secret: string): Promise<boolean>;
  /** Hashes a valid secret again that was hashed under an older pepper. */
  hashAnew(client_id: string, digest: string): Promise<void>;
}
export const SECRET_HASHES = Symbol('SecretHashes');

/** What a client presents: its id and its secret, or an assertion that a key of it has signed. */
interface ClientCredentials {
  client_id?: string | undefined;
  client_secret?: string | undefined;
  client_assertion?: string | undefined;
  client_assertion_type?: string | undefined;
}

/** Authenticates a client by its secret or its key, or a public client by its id. @spec D1-5.2 @gap D1-5.2 */
@Injectable()
export class ClientAuthenticator {
  /** Clients whose secret is being hashed again, so that under load only one request asks for it. */
  private readonly hashing = new Set<string>();

  constructor(
    private readonly followed: ClientsReplica,
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    @Inject(SECRET_HASHES) private readonly hashes: SecretHashes,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly used: UsedAssertions,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
  ) {}

  /**
   * Authenticates a client. The row of the local replica is enough when the secret fits it, which saves most requests a query. Otherwise
   * the registry is asked, because the client may have been registered, or its secret regenerated, a moment ago. A secret that was replaced
   * in that moment is of no use: its tokens have an old epoch.
   */
  async authenticate({ client_assertion, client_assertion_type, ...credentials }: ClientCredentials): Promise<ClientRow> {
    if (client_assertion !== undefined || client_assertion_type !== undefined)
      return this.authenticateByKey(checkedAssertion({ ...credentials, client_assertion, client_assertion_type }));
    const { client_id, client_secret } = credentials;
    if (client_id === undefined)
      throw new Refusal('oauth.invalid_client').because('Send client_id, and client_secret unless the client is public');
    const followed = this.followed.known(client_id);
    if (!this.isProven(followed, client_secret)) return this.authenticateByRegistry(client_id, client_secret);
    identifyInitiator({ client_id });
    return followed!;
  }

  private async authenticateByRegistry(client_id: string, client_secret: string | undefined): Promise<ClientRow> {
    const client = await this.clients.clientOf(client_id);
    if (!this.isProven(client, client_secret) && !(client && (await this.isProvenByOldForm(client, client_secret))))
      throw new Refusal('oauth.invalid_client');
    identifyInitiator({ client_id });
    return client!;
  }

  /**
   * Authenticates a client by an assertion, which counts once at this base. The registry is asked when the replica does not know the key
   * yet. The assertion is recorded last, so only the client itself can fill the table.
   */
  private async authenticateByKey(sent: SentAssertion): Promise<ClientRow> {
    const now = this.clock.now();
    const isTimely = isCurrent(sent, this.audiences, now);
    const followed = this.followed.known(sent.client_id);
    const client = isTimely && !signerOf(followed, sent) ? await this.clients.clientOf(sent.client_id) : followed;
    const signed = isTimely ? signerOf(client, sent) : undefined;
    if (!signed || !(await this.used.use(signed, now))) {
      count(METRICS.assertionsRefused, { 'codase.outcome': !isTimely ? 'time_or_audience' : signed ? 'used' : 'signature' });
      throw new Refusal('oauth.invalid_client');
    }
    identifyInitiator({ client_id: sent.client_id });
    return client!;
  }

  /** The names of this base in an assertion: its token endpoint, or its address alone. Another base has others. */
  private get audiences(): readonly string[] {
    const base = this.here.base === 'front-door' ? this.bases.front_door_url : apiUrlOf(this.bases, this.here.region)!;
    return [base, `${base}${tokens.issueToken.path}`];
  }

  /** Whether the secret proves the client; a public one sends none. That of an unknown client is compared too, to take as long. */
  private isProven(client: ClientRow | undefined, secret: string | undefined): boolean {
    const digest = digestSecret(secret ?? '');
    const matching = matchingVerifier(client?.secrets ?? [], digest, this.clock.now());
    if (!client || client.disabled || client.requires_key) return false;
    if (isPublic(client)) return secret === undefined;
    if (matching && !matching.is_current) this.hashAnew(client.client_id, digest);
    return matching !== undefined;
  }

  private async isProvenByOldForm(client: ClientRow, secret: string | undefined): Promise<boolean> {
    const isUnchecked =
      !client.disabled && !client.requires_key && !isPublic(client) && client.secrets.length === 0 && secret !== undefined;
    return isUnchecked && this.hashes.provesOldForm(client, secret);
  }

  /** Hashes a secret again, without making the caller wait. When it fails, the next use tries again. */
  private hashAnew(client_id: string, digest: string): void {
    if (this.hashing.has(client_id)) return;
    this.hashing.add(client_id);
    this.hashes
      .hashAnew(client_id, digest)
      .catch((error: unknown) => this.log.warn('a client secret was not hashed anew; its next use tries again', { error }))
      .finally(() => this.hashing.delete(client_id));
  }
}

/** Returns what must be recorded of an assertion that a key of the client has signed. Only clients of companies have keys. */
const signerOf = (client: ClientRow | undefined, sent: SentAssertion) =>
  client && !client.disabled ? verifiedAssertion(sent, client.keys) : undefined;

/** Checks that a request authenticates in one way, and reads its assertion. */
function checkedAssertion({ client_id, client_secret, client_assertion, client_assertion_type }: ClientCredentials): SentAssertion {
  if (client_secret !== undefined) throw new Refusal('oauth.invalid_request').because('Authenticate the client in one way, not two');
  if (client_assertion === undefined || client_assertion_type === undefined)
    throw new Refusal('oauth.invalid_request').because('Send client_assertion and client_assertion_type together');
  if (client_assertion_type !== ASSERTION_TYPE)
    throw new Refusal('oauth.invalid_client').because(`client_assertion_type: must be ${ASSERTION_TYPE}`);
  const sent = readAssertion(client_assertion);
  if (!sent || (client_id !== undefined && client_id !== sent.client_id)) throw new Refusal('oauth.invalid_client');
  return sent;
}

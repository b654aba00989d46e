import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { S3Credentials } from '../../../src/storage/files/s3-credentials.service.ts';

/** How many seconds before their end the credentials of the AWS SDK's chain are fetched again. */
const RENEWED_BEFORE_SECONDS = 300;

/** The source of credentials that a cloud has on each machine: a token service (STS) and an endpoint of containers, on this machine. */
export class IdentityServer {
  /** The bodies that were posted to the token service. */
  readonly exchanges: URLSearchParams[] = [];
  /** The tokens by which the endpoint of containers was asked. */
  readonly authorizations: (string | undefined)[] = [];
  /** How long the next credentials are valid. */
  seconds = RENEWED_BEFORE_SECONDS * 12;
  /** The error with which the token service answers, when it is to refuse. */
  refusal: string | undefined;
  private served = 0;

  private constructor(
    private readonly server: Server,
    private readonly keys: S3Credentials,
  ) {}

  /** Starts the server, which gives the keys with another session token each time. */
  static async open(keys: S3Credentials): Promise<IdentityServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const identity = new IdentityServer(server, keys);
    server.on('request', (request, response) => void identity.serve(request, response));
    return identity;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** How many credentials were given. */
  get given(): number {
    return this.served;
  }

  /** The session token of the newest credentials. */
  get newest(): string {
    return `session-${this.served}`;
  }

  /** Lets the next credentials be valid for so short a time that the chain fetches others at once, in the background. */
  givesShortOnes(): void {
    this.seconds = RENEWED_BEFORE_SECONDS - 1;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') return this.exchange(new URLSearchParams(await text(request)), response);
    this.authorizations.push(request.headers.authorization);
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = this.next();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token: SessionToken, Expiration }));
  }

  /** Answers AssumeRoleWithWebIdentity. */
  private exchange(form: URLSearchParams, response: ServerResponse): void {
    this.exchanges.push(form);
    response.setHeader('content-type', 'text/xml');
    if (this.refusal !== undefined) {
      response.statusCode = 403;
      const message = `not for ${form.get('WebIdentityToken')}`;
      return void response.end(`<ErrorResponse><Error><Code>${this.refusal}</Code><Message>${message}</Message></Error></ErrorResponse>`);
    }
    const members = Object.entries(this.next()).map(([name, value]) => `<${name}>${value}</${name}>`);
    const result = `<AssumeRoleWithWebIdentityResult><Credentials>${members.join('')}</Credentials></AssumeRoleWithWebIdentityResult>`;
    response.end(`<AssumeRoleWithWebIdentityResponse>${result}</AssumeRoleWithWebIdentityResponse>`);
  }

  private next() {
    this.served += 1;
    return {
      AccessKeyId: this.keys.accessKeyId,
      SecretAccessKey: this.keys.secretAccessKey,
      SessionToken: this.newest,
      Expiration: new Date(Date.now() + this.seconds * 1000).toISOString(),
    };
  }
}

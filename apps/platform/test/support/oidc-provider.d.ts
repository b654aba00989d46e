/** The part of oidc-provider that tests and benches use; the package brings no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  class Saved {
    constructor(properties: object);
    save(ttl?: number): Promise<string>;
  }
  class Grant extends Saved {
    addOIDCScope(scope: string): void;
  }
  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    on(event: string, listener: (...args: unknown[]) => void): this;
    Client: { find(client_id: string): Promise<object | undefined> };
    Grant: typeof Grant;
    AuthorizationCode: typeof Saved;
  }
}

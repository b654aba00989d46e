/** The part of simple-oauth2 that a test uses; the package brings no types. */
declare module 'simple-oauth2' {
  interface Settings {
    client: { id: string; secret: string };
    auth: { tokenHost: string; tokenPath: string; revokePath: string; authorizePath?: string };
  }
  interface AccessToken {
    token: Record<string, unknown>;
    refresh(): Promise<AccessToken>;
    revokeAll(): Promise<void>;
  }
  class Grant {
    constructor(settings: Settings);
    getToken(parameters: Record<string, string>): Promise<AccessToken>;
  }
  export class ClientCredentials extends Grant {}
  export class AuthorizationCode extends Grant {
    authorizeURL(parameters: Record<string, string>): string;
  }
}

import { parse } from 'node:querystring';
import { Refusal } from '@codase/contracts';

/**
 * Reads a form-encoded body. A parameter given twice is refused, as OAuth asks, and so is a NUL byte; one without a value counts as absent
 * (RFC 6749, 3.2). A client may send its credentials in the Authorization header instead (RFC 6749, 2.3.1), but not in both places.
 * @gap D1-4.1
 */
export function readForm(body: Buffer, authorization?: string): Record<string, string> {
  const form = readParameters(body);
  if (authorization === undefined) return form;
  const given = basicCredentials(authorization);
  const isTwice = form['client_secret'] !== undefined || (form['client_id'] ?? given.client_id) !== given.client_id;
  if (isTwice) throw new Refusal('oauth.invalid_request').because('Authenticate the client in one way, not two');
  return { ...form, ...given };
}

/** Reads the Basic credentials of a client. Both halves are form-encoded before they are joined. */
function basicCredentials(authorization: string): { client_id: string; client_secret: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  const [client_id, client_secret] = [id, secret].map(formDecoded);
  if (!client_id || !client_secret || /\0/.test(client_id + client_secret))
    throw new Refusal('oauth.invalid_request').because('The Authorization header holds no client credentials');
  return { client_id, client_secret };
}

function formDecoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function readParameters(body: Buffer): Record<string, string> {
  const form = parse(body.toString('utf8'), '&', '=', { maxKeys: 0 });
  for (const name in form) {
    const value = form[name];
    if (typeof value !== 'string') throw new Refusal('oauth.invalid_request').because('A parameter is given twice');
    if (name.includes('\0') || value.includes('\0')) throw new Refusal('oauth.invalid_request').because('A parameter holds a NUL byte');
    if (value === '') delete form[name];
  }
  return form as Record<string, string>;
}

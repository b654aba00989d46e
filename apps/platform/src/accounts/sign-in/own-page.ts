import { Refusal } from '@codase/contracts';

/** The headers of a request, in which a browser says where a form comes from. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Refuses a form that a page of another site sends in the user's browser, which would sign the user in as somebody else. Browsers say where
 * a form comes from; programs say nothing and are allowed. An origin of `null` proves nothing: the platform's own pages have it too,
 * because they hide their address.
 */
export function checkOwnPage(front_door_url: string, headers: Headers): void {
  const isElsewhere = !['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined);
  const isOther = ![new URL(front_door_url).origin, 'null', undefined].includes(headers['origin'] as string | undefined);
  if (isElsewhere || isOther)
    throw new Refusal('oauth.invalid_request').because('This form was sent by another site: begin again where you came from');
}

import { Refusal } from '@cds/contracts';

/** What a browser says of where a form comes from. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Refuses a form that a page of another site sends in the reader's browser, which would sign the reader in as somebody else. Browsers say
 * where a form comes from; programs say nothing and are let through. An origin of `null` tells nothing: our own pages, which hide where
 * they are, have it too.
 */
export function checkOwnPage(front_door_url: string, headers: Headers): void {
  const isElsewhere = !['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined);
  const isOther = ![new URL(front_door_url).origin, 'null', undefined].includes(headers['origin'] as string | undefined);
  if (isElsewhere || isOther)
    throw new Refusal('oauth.invalid_request').because('This form was sent by another site: begin again where you came from');
}

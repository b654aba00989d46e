const SCHEME = /^[a-z]+:\/\//i;
/** A scheme and no host behind it, or a port: `javascript:…`, `https:/x`, but not `localhost:8080`. */
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:(?!\d{1,5}(?:[/?#]|$))/i;
/** The parser forgives missing hosts, blanks and line breaks; a value that is kept as given may hold none. */
const WITH_HOST = /^https?:\/\/[^/\\?#\s][^\s\p{Cc}]*$/iu;

/** The address with its scheme, https unless it names one; undefined when it is no http or https address. @spec D1-2.5 @gap D1-2.5 */
export function webAddress(text: string): string | undefined {
  const hasScheme = SCHEME.test(text);
  if (!hasScheme && OTHER_SCHEME.test(text)) return undefined;
  const address = hasScheme ? text : `https://${text}`;
  return WITH_HOST.test(address) && parsesWithoutCredentials(address) ? address : undefined;
}

function parsesWithoutCredentials(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username === '' && password === '';
}

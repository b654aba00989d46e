const SCHEME = /^[a-z]+:\/\//i;
/** A scheme without a host, such as `javascript:…` or `https:/x`. A host with a port, such as `localhost:8080`, does not match. */
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:(?!\d{1,5}(?:[/?#]|$))/i;
/** An address with a host, and without blanks and control characters. The URL parser tolerates these, but the value is stored as given. */
const WITH_HOST = /^https?:\/\/[^/\\?#\s][^\s\p{Cc}]*$/iu;

/** Returns the address with a scheme, https unless it has one. Undefined when it is no http or https address. @spec D1-2.5 @gap D1-2.5 */
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

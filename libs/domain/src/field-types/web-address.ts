const SCHEME = /^[a-z]+:\/\//i;
/** The parser forgives missing hosts, blanks and line breaks; a value that is kept as given may hold none. */
const WITH_HOST = /^https?:\/\/[^/\\?#\s][^\s\p{Cc}]*$/iu;

/** The address with its scheme, https unless it names one; undefined when it is no http or https address. @spec D1-2.5 @gap D1-2.5 */
export function webAddress(text: string): string | undefined {
  const address = SCHEME.test(text) ? text : `https://${text}`;
  return WITH_HOST.test(address) && parsesWithoutCredentials(address) ? address : undefined;
}

function parsesWithoutCredentials(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username === '' && password === '';
}

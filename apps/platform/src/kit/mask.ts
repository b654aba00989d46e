const BULLETS = '••••';
/** How many characters of a secret are shown, and the length from which they do not give the secret away. @spec D1-2.9 @gap D1-2.9 */
const SHOWN = { last: 4, from: 8 } as const;

/** Returns four bullets and the last four characters of a secret; the bullets alone when the secret is short. @spec D1-2.9 @gap D1-2.9 */
export function mask(secret: string): string {
  const characters = [...secret];
  return BULLETS + (characters.length < SHOWN.from ? '' : characters.slice(-SHOWN.last).join(''));
}

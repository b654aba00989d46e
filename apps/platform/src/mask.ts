const BULLETS = '••••';
/** Characters that are shown, and the length from which they do not give the secret away. @spec D1-2.9 @gap D1-2.9 */
const SHOWN = { last: 4, from: 8 } as const;

/** Four bullets and the last four characters; of a short secret the bullets alone. @spec D1-2.9 @gap D1-2.9 */
export function mask(secret: string): string {
  const characters = [...secret];
  return BULLETS + (characters.length < SHOWN.from ? '' : characters.slice(-SHOWN.last).join(''));
}

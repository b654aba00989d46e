const TARGET = /"target"\s*:\s*\{/;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Whether a file in the clear begins to arrive, by the part of the body that was read so far. @spec D1-2.12 */
export const isClearFile = (before: string): boolean => before.startsWith('data:', startOfOpenString(before));

/** Returns where the last string that has not ended begins, in one pass: a regex at every quote takes minutes for many of them. */
function startOfOpenString(before: string): number {
  let start = 0;
  let isInString = false;
  for (let at = 0; at < before.length; at++) {
    const letter = before.charCodeAt(at);
    if (letter === BACKSLASH && isInString) at++;
    if (letter !== QUOTE) continue;
    isInString = !isInString;
    start = at + 1;
  }
  return start;
}

/** Whether the body names a recipient in what was read so far. One that names it later is refused when all has arrived. @spec D1-2.12 */
export const namesRecipient = (before: string): boolean => TARGET.test(before);

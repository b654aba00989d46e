/** A secret or certificate: a text, or a function that reads it from its file whenever it is needed. */
export type LiveText = string | undefined | (() => string | undefined);

export const currentText = (given: LiveText): string | undefined => (typeof given === 'function' ? given() : given);

/** An object whose members are read anew at each access; members that were not given are left out. */
export function withLiveMembers<N extends string>(given: Readonly<Record<N, LiveText>>): { readonly [K in N]?: string } {
  const members = {};
  for (const [name, text] of Object.entries<LiveText>(given)) {
    if (text === undefined) continue;
    Object.defineProperty(members, name, { get: () => currentText(text), enumerable: true, configurable: true });
  }
  return members;
}

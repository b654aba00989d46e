declare const declared: unique symbol;

/** A kind of entry in the log of a service. A capability declares its own in `log-kinds.ts`, and its manifest names them. */
export type LogKind = string & { readonly [declared]: true };

/** Declares kinds by their names, so that no entry can have a kind that nobody has declared. */
export const logKinds = <const N extends string>(...names: readonly N[]): { readonly [K in N]: LogKind } =>
  Object.fromEntries(names.map((name) => [name, name])) as Record<string, string> as { [K in N]: LogKind };

/**
 * A question or a notice that a capability has for the capabilities above it, which it must not import. Any number of them can contribute.
 * The provider that injects the hook gets the list of contributions and calls each of them, inside the current transaction if there is one.
 */
export type Hook<T> = symbol & { readonly contributes?: T };

export const hook = <T>(name: string): Hook<T> => Symbol(name) as Hook<T>;

/** A provider that answers a hook. */
export interface Contribution {
  to: Hook<unknown>;
  by: abstract new (...args: never[]) => unknown;
}

/** Declares that a provider contributes to a hook. The compiler checks that the provider is what the hook asks for. */
export const contribute = <T>(to: Hook<T>, by: abstract new (...args: never[]) => T): Contribution => ({ to: to as Hook<unknown>, by });

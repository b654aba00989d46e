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

/**
 * An interface that a capability needs and one capability above it implements, which it must not import. The provider that injects it gets
 * the implementation. Where several may contribute, or nobody has to, declare a hook.
 */
export type Requirement<T> = symbol & { readonly implementedBy?: T };

export const requirement = <T>(name: string): Requirement<T> => Symbol(name) as Requirement<T>;

/** A provider that implements a requirement. */
export interface Implementation {
  of: Requirement<unknown>;
  by: abstract new (...args: never[]) => unknown;
}

/** Declares that a provider implements a requirement. The compiler checks that the provider is what is required. */
export const implement = <T>(of: Requirement<T>, by: abstract new (...args: never[]) => T): Implementation => ({
  of: of as Requirement<unknown>,
  by,
});

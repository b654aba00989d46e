/** The state of a thing that does not exist yet. No move leads back to it. */
export type Absent = 'none';

/** The result of a signal: the next state, and what else must happen in the same transaction. */
export interface Move<State extends string, Effect extends string> {
  readonly next: Exclude<State, Absent>;
  readonly also: readonly Effect[];
}

/** A state table: what each signal does in each state. A signal that is absent in a state is not allowed there. */
export type Table<State extends string, Signal extends string, Effect extends string> = {
  readonly [state in State]: { readonly [signal in Signal]?: Move<State, Effect> };
};

/** Looks a move up in the table. Undefined when the signal is not allowed in that state. */
export const move = <State extends string, Signal extends string, Effect extends string>(
  table: Table<State, Signal, Effect>,
  state: State,
  signal: Signal,
): Move<State, Effect> | undefined => table[state][signal];

/** Returns one move, for writing the rows of a table. */
export const to = <const Next extends string, const Effect extends string = never>(next: Next, ...also: Effect[]) => ({ next, also });

/** Returns every move of a table as a line of text, for printing a table or comparing it with another. */
export const linesOf = (table: Table<string, string, string>): string[] =>
  Object.entries(table).flatMap(([state, moves]) =>
    Object.entries(moves).map(([signal, step]) => `${state}, ${signal}: ${[step!.next, ...step!.also].join(', ')}`),
  );

/** Before a thing exists it is in this state; nothing moves back to it. */
export type Absent = 'none';

/** What a signal leads to: the next state, and what else must happen in the same transaction. */
export interface Move<State extends string, Effect extends string> {
  readonly next: Exclude<State, Absent>;
  readonly also: readonly Effect[];
}

/** A state table: what each signal does in each state. A pair that is absent is not allowed. */
export type Table<State extends string, Signal extends string, Effect extends string> = {
  readonly [state in State]: { readonly [signal in Signal]?: Move<State, Effect> };
};

/** Asks the table; undefined when the signal is not allowed in that state. */
export const move = <State extends string, Signal extends string, Effect extends string>(
  table: Table<State, Signal, Effect>,
  state: State,
  signal: Signal,
): Move<State, Effect> | undefined => table[state][signal];

/** One move of a table, as its rows are written. */
export const to = <const Next extends string, const Effect extends string = never>(next: Next, ...also: Effect[]) => ({ next, also });

/** Every move of a table as a line of text, for those who print it or check it against another. */
export const linesOf = (table: Table<string, string, string>): string[] =>
  Object.entries(table).flatMap(([state, moves]) =>
    Object.entries(moves).map(([signal, step]) => `${state}, ${signal}: ${[step!.next, ...step!.also].join(', ')}`),
  );

/** What a contender did in its share of a round. */
export interface Sample {
  operations: number;
  /** Seconds it took; measured around the contender when left out. */
  seconds?: number;
  /** Milliseconds of single operations, where they were taken. */
  latencies?: readonly number[];
  /** Further figures of its own, by name: bytes, queries, anything counted. */
  figures?: Figures;
}

/** Figures of one contender by name: `rate`, `cpu_us`, `p50_ms`, `p99_ms` and its own. */
export type Figures = Readonly<Record<string, number>>;

/** What a contender is given. */
export interface Turn<S> {
  /** What setup made. */
  state: S;
  /** How long to work. */
  seconds: number;
}

/** A way of doing the work: the bare floor, a peer, or ours. */
export type Contender<S> = (turn: Turn<S>) => Sample | Promise<Sample>;

/**
 * What a figure must be. `over` names the contender it is divided by, in the same round; without it the figure itself is
 * judged. `atMost` is for figures of which less is better.
 */
export type Bar<C extends string = string> = Judged<C> & ({ atLeast: number } | { atMost: number });

interface Judged<C> {
  /** What the bar is called in the report; made up from the rest when left out. */
  name?: string;
  /** `rate` when left out. */
  figure?: string;
  /** `ours` when left out. */
  of?: C;
  over?: C;
  /** It must hold in every round, not by and large: for what must never happen. */
  everyRound?: true;
}

/** A measurement: contenders that do the same work, interleaved in one run, and the bars that ours has to take. */
export interface Bench<S = unknown, C extends string = string> {
  name: string;
  /** What is measured against what, in a line. */
  what: string;
  /** Of the rate, as in `events/s`. */
  unit: string;
  /** Where it needs longer than others, how long it measures when nobody says. */
  seconds?: number;
  /** Where a round takes long, fewer than others have. */
  rounds?: number;
  /** Rounds that are played first and count for nothing: one, none where contenders start anew, more where much code is to be compiled. */
  warmUps?: number;
  setup?(): S | Promise<S>;
  teardown?(state: S): unknown;
  contenders: Readonly<Record<C, Contender<S>>>;
  /** Further figures, which compare contenders of the same round. */
  compare?(round: Readonly<Record<NoInfer<C>, Figures>>): Readonly<Partial<Record<NoInfer<C>, Figures>>>;
  /** One number: ours does at least so much of the floor's rate. Or several bars. */
  bar: number | readonly Bar<NoInfer<C>>[];
}

/** Declares a bench; a file `bench/src/NAME.bench.ts` exports it as its default. */
export const bench = <S, C extends string>(declared: Bench<S, C>): Bench<S, C> => declared;

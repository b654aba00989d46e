/** What a contender did in its share of a round. */
export interface Sample {
  operations: number;
  /** The seconds that the work took. Measured around the contender when left out. */
  seconds?: number;
  /** The operations per second, when that is not `operations` over `seconds`. */
  rate?: number;
  /** The milliseconds of single operations, when they were measured. */
  latencies?: readonly number[];
  /** Further figures of the contender, by name: bytes, queries, anything counted. */
  figures?: Figures;
}

/** Figures of one contender by name: `rate`, `cpu_us`, `p50_ms`, `p99_ms` and its own. */
export type Figures = Readonly<Record<string, number>>;

interface Turn<S> {
  state: S;
  seconds: number;
}

/** A way of doing the work: the bare floor, a peer, or ours. */
export type Contender<S> = (turn: Turn<S>) => Sample | Promise<Sample>;

/** The limit of a figure, or of its ratio to that of the contender `over` in the same round. Of less is better: `atMost`. */
export type Bar<C extends string = string> = Judged<C> & ({ atLeast: number } | { atMost: number });

interface Judged<C> {
  /** The name of the bar in the report, derived from the rest when left out. */
  name?: string;
  /** `rate` when left out. */
  figure?: string;
  /** `ours` when left out. */
  of?: C;
  over?: C;
  /** The bar must hold in every round and not only by the median, for things that must never happen. */
  everyRound?: true;
}

/** A measurement: contenders that do the same work, interleaved in one run, and the bars that ours has to meet. */
export interface Bench<S = unknown, C extends string = string> {
  name: string;
  /** A line that says what is measured and compared. */
  what: string;
  /** The unit of the rate, as in `events/s`. */
  unit: string;
  /** The default measuring time, for a bench that needs longer than others. */
  seconds?: number;
  rounds?: number;
  /** Uncounted rounds at the beginning: 1 by default, 0 when contenders start anew, more when much code has to be compiled. */
  warmUps?: number;
  setup?(): S | Promise<S>;
  teardown?(state: S): unknown;
  contenders: Readonly<Record<C, Contender<S>>>;
  /** Further figures, which compare contenders of the same round. */
  compare?(round: Readonly<Record<NoInfer<C>, Figures>>): Readonly<Partial<Record<NoInfer<C>, Figures>>>;
  /** One number: the least share of the floor's rate that ours has to reach. Or several bars. */
  bar: number | readonly Bar<NoInfer<C>>[];
}

/** Declares a bench; a file `bench/src/NAME.bench.ts` exports it as its default. */
export const bench = <S, C extends string>(declared: Bench<S, C>): Bench<S, C> => declared;

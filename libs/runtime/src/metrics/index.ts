import type { Metric } from '../telemetry/metrics.ts';

type Kind = Metric['kind'];
type Further = Omit<Metric, 'name' | 'kind' | 'unit' | 'what'>;
type Declared<K extends Kind, Name extends string, F> = {
  readonly name: Name;
  readonly kind: K;
  readonly unit: string;
  readonly what: string;
} & F;

/** Returns the function that declares metrics of a kind, by the name that dashboards use, the unit, and what is counted or measured. */
const declares =
  <K extends Kind>(kind: K) =>
  <const Name extends string, const F extends Further = object>(
    name: Name,
    unit: string,
    what: string,
    further?: F,
  ): Declared<K, Name, F> => ({
    name,
    kind,
    unit,
    what,
    ...(further as F),
  });

/** Only grows. */
export const counter = declares('counter');
/** Is raised and lowered. */
export const level = declares('level');
/** Is read now and then. */
export const gauge = declares('gauge');
export const histogram = declares('histogram');

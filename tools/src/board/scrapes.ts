/** One line of a scrape. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n' };

/** Reads the answer of a service's `/metrics`. Lines that are no samples, such as comments, are left out. */
export const readSamples = (text: string): Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    return name ? [{ name, labels: readLabels(labels), value: Number(value) }] : [];
  });

const readLabels = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, key, value]) => [key!, value!.replace(/\\(.)/g, (_, sign: string) => ESCAPED[sign] ?? sign)]),
  );

export interface Scrape {
  service: string;
  ready: boolean;
  /** Why it is not ready, in the words of its checks. */
  reasons: readonly string[];
  samples: readonly Sample[];
}

export interface ServiceScrape {
  at_ms: number;
  scrapes: readonly Scrape[];
}

type Labels = Readonly<Record<string, string>>;

/** Tests whether a sample belongs to a metric, to whose name an exporter may have added the unit and a suffix. */
const isOf = (metric: string, suffix = '') => {
  const base = metric.replaceAll('.', '_');
  const names = new Set(['', '_seconds'].map((unit) => `${base}${unit}${suffix}`));
  return ({ name }: Sample) => names.has(name);
};

export const samplesOf = (of: ServiceScrape, metric: string, suffix = ''): (Sample & { service: string })[] => {
  const wanted = isOf(metric, suffix);
  return of.scrapes.flatMap(({ service, samples }) => samples.filter(wanted).map((sample) => ({ ...sample, service })));
};

/** Returns how much a counter grew between two looks. A service that has restarted counts from zero. */
export function growth(before: ServiceScrape, now: ServiceScrape, metric: string, fits: (labels: Labels) => boolean = () => true): number {
  const start = new Map(samplesOf(before, metric, '_total').map((sample) => [keyOf(sample), sample.value]));
  return samplesOf(now, metric, '_total')
    .filter(({ labels }) => fits(labels))
    .reduce((sum, sample) => sum + grown(start.get(keyOf(sample)) ?? 0, sample.value), 0);
}

const grown = (before: number, now: number) => (now < before ? now : now - before);

/** Returns a quantile between two looks, as the upper bound of its bucket; undefined without measurements. */
export function quantile(before: ServiceScrape, now: ServiceScrape, metric: string, share: number): number | undefined {
  const start = new Map(samplesOf(before, metric, '_bucket').map((sample) => [keyOf(sample), sample.value]));
  const counts = new Map<number, number>();
  for (const sample of samplesOf(now, metric, '_bucket')) {
    const bound = sample.labels['le'] === '+Inf' ? Infinity : Number(sample.labels['le']);
    counts.set(bound, (counts.get(bound) ?? 0) + grown(start.get(keyOf(sample)) ?? 0, sample.value));
  }
  const all = counts.get(Infinity) ?? 0;
  if (all === 0) return undefined;
  return [...counts].sort(([a], [b]) => a - b).find(([, count]) => count >= share * all)![0];
}

const keyOf = ({ service, name, labels }: Sample & { service: string }) => JSON.stringify([service, name, labels]);

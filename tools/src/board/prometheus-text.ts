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

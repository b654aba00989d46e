import { z } from 'zod';

const Entry = z.looseObject({ current: z.string().optional(), latest: z.string(), dependent: z.string() });
/** What `npm outdated --json` prints: one entry for a package, or a list when several of our packages name it. */
const Report = z.record(z.string(), z.union([Entry, z.array(Entry)]));

interface Behind {
  name: string;
  current: string;
  latest: string;
  /** Our packages that name it, by the folder. */
  dependents: string[];
}

/** Why packages stay behind. A reason begins with the version that it keeps, so that it is looked at again when the version changes. */
export type Reasons = Readonly<Record<string, { keeps: string; why: string }>>;

const WIDTH = 80;

/** Reads what npm says. A package that several of ours name in the same version is listed once. */
export function readBehind(report: string): Behind[] {
  const entries = Object.entries(Report.parse(JSON.parse(report || '{}')));
  const found = entries.flatMap(([name, given]) =>
    [given].flat().map((entry) => ({ name, ...entry, current: plain(entry.current ?? 'none') })),
  );
  const byVersion = Map.groupBy(
    found.filter(({ current, latest }) => current !== plain(latest)),
    ({ name, current }) => `${name} ${current}`,
  );
  return [...byVersion.values()].map((same) => {
    const { name, current, latest } = same[0]!;
    return { name, current, latest, dependents: same.map(({ dependent }) => dependent).toSorted() };
  });
}

/** The tag of a version may begin with a letter. */
const plain = (version: string) => version.replace(/^v/, '');

/** The lines that are shown, and whether each package that is behind has a reason, and each reason a package. */
export function describeBehind(behind: readonly Behind[], reasons: Reasons): { lines: string[]; isFine: boolean } {
  const hasReason = ({ name, current }: Behind) => reasons[name]?.keeps === current;
  const [kept, open] = [behind.filter(hasReason), behind.filter((one) => !hasReason(one))];
  const idle = Object.keys(reasons).filter((name) => !kept.some((one) => one.name === name));
  const lines = [
    ...section(
      'Behind, with a reason',
      kept.map((one) => [titleOf(one), ...indented(reasons[one.name]!.why, 4)]),
    ),
    ...section(
      'Behind, without a reason',
      open.map((one) => [titleOf(one), ...indented(`in ${one.dependents.join(', ')}`, 4)]),
    ),
    ...section(
      'Reasons that keep nothing back: remove them',
      idle.map((name) => [`  ${name} ${reasons[name]!.keeps}`]),
    ),
  ];
  const isFine = open.length + idle.length === 0;
  return { lines: lines.length ? lines : ['Every package is at its newest version.'], isFine };
}

const titleOf = ({ name, current, latest }: Behind) => `  ${name} ${current}, newest ${latest}`;

const section = (title: string, parts: readonly string[][]): string[] => (parts.length ? [`${title}:`, ...parts.flat()] : []);

function indented(words: string, by: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(' '.repeat(by) + word);
  }
  return lines;
}

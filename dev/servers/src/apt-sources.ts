/** One archive that a machine takes packages from. */
export interface AptSource {
  uri: string;
  suites: string[];
  components: string[];
  /** The file with the keys that sign it. */
  signedBy?: string;
}

/** Reads the one-line style: `deb [signed-by=/file] http://mirror/debian bookworm main`. */
export function parseSourcesList(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const [, options = '', uri, suite, components] = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+([^#]*)/.exec(line) ?? [];
    if (!uri || !suite) return [];
    return [{ uri, suites: [suite], components: words(components), signedBy: keyFile(/signed-by=(\S+)/.exec(options)?.[1]) }];
  });
}

/** Reads the deb822 style: paragraphs of `Name: values`. */
export function parseSourcesFile(text: string): AptSource[] {
  const withoutComments = text.replace(/^#.*\n?/gm, '');
  return withoutComments.split(/\n\s*\n/).flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}:((?:.*)(?:\\n[ \\t].*)*)`, 'im').exec(paragraph)?.[1];
    if (!words(field('Types')).includes('deb') || /^\s*no\s*$/i.test(field('Enabled') ?? '')) return [];
    const [suites, components, [key]] = [words(field('Suites')), words(field('Components')), words(field('Signed-By'))];
    return words(field('URIs')).map((uri) => ({ uri, suites, components, signedBy: keyFile(key) }));
  });
}

/** The path of a key file. A key may also be written out in place: then the machine's own keyring is used. */
const keyFile = (value: string | undefined) => (value?.startsWith('/') ? value : undefined);

const words = (text = '') => text.split(/\s+/).filter(Boolean);

/** A suite of the distribution's own mirror to look for a newer package in. */
export interface Mirror {
  uri: string;
  suite: string;
  components: string;
  signedBy?: string;
}

/** The suites to look in, newest first. Both distributions have a name that always means their newest. */
const NEWER_SUITES: Record<string, { suites: string[]; components: string }> = {
  debian: { suites: ['sid', 'testing', 'trixie-backports', 'trixie'], components: 'main' },
  ubuntu: { suites: ['devel', 'resolute', 'questing', 'noble'], components: 'main universe' },
};

/**
 * The suites of the machine's own mirrors where a newer release has its packages. Foreign archives (Docker, Postgres …) use the same suite
 * names or sign with keys of their own. Neither they nor the security mirror have the packages that we look for.
 */
export function newerMirrors(sources: AptSource[], distribution: { id: string; codename: string }): Mirror[] {
  const newer = NEWER_SUITES[distribution.id];
  if (!newer) return [];
  const own = sources.filter(
    ({ uri, suites, components, signedBy = `${distribution.id}-archive` }) =>
      /^(https?|file):/.test(uri) &&
      suites.includes(distribution.codename) &&
      components.includes('main') &&
      signedBy.includes(`${distribution.id}-archive`),
  );
  const { suites, components } = newer;
  return own.slice(0, 2).flatMap(({ uri, signedBy }) => suites.map((suite) => ({ uri, suite, components, signedBy })));
}

/** The line that makes apt use that mirror and no other. */
export function sourceLine({ uri, suite, components, signedBy }: Mirror): string {
  return `deb ${signedBy ? `[signed-by=${signedBy}] ` : ''}${uri} ${suite} ${components}\n`;
}

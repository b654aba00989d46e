import type { Source } from './sources.ts';

const EXPORTED_CLASS = /^export (?:abstract )?class (\w+)/gm;
/** A parameter of the injected class itself. Nest cannot read the class from a type such as `Pick<Home, 'write'>`. */
const OF_SAME_TYPE = /@Inject\((\w+)\)\s+(?:(?:private|protected|public|readonly)\s+)*\w+:\s*\1\s*[,)]/g;

/** Returns a sentence for each needless decorator, as in `@Inject(Home) home: Home`: Nest reads the class from the type. */
export function redundantInjects(sources: readonly Source[]): string[] {
  const classes = new Set(sources.flatMap(({ text }) => matches(text, EXPORTED_CLASS)));
  return sources
    .filter(({ file }) => !file.endsWith('.spec.ts'))
    .flatMap(({ file, text }) => matches(text, OF_SAME_TYPE).map((name) => ({ file, name })))
    .filter(({ name }) => classes.has(name))
    .map(({ file, name }) => `${file} says @Inject(${name}) of a parameter of that type: leave the decorator out.`);
}

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name!);

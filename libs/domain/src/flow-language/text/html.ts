const OPENS_A_TAG = /[A-Za-z/!?]/;

/**
 * Removes HTML tags in one pass. Removing a tag never creates another one from the remaining text, because each `>` is matched with the
 * nearest `<` that is still kept. Text such as `1 < 2 > 0` stays. @spec D2-2.6
 */
export function withoutHtml(source: string): string {
  if (!source.includes('<')) return source;
  const kept: string[] = [];
  const opened: number[] = [];
  for (const char of source) {
    const start = char === '>' ? opened.pop() : undefined;
    if (start !== undefined && OPENS_A_TAG.test(kept[start + 1] ?? '')) {
      kept.length = start;
      continue;
    }
    if (char === '<') opened.push(kept.length);
    kept.push(char);
  }
  return kept.join('');
}

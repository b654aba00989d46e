const SHAPE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether the text is YYYY-MM-DD and such a day exists, in the years 0001 to 9999. @spec D1-2.5 @gap D1-2.5 */
export function isCalendarDate(text: string): boolean {
  if (!SHAPE.test(text) || text.startsWith('0000')) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  // A day past the end of its month either does not parse or rolls over into the next.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

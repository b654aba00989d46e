/** The members of a request row on which the validity of its answers depends. @spec D1-2.6 */
export interface RequestRow {
  slug: string;
  type: string;
  one_time: boolean;
  audience: 'person' | 'company' | 'both';
  /** The plugin field that answers the row; null when no plugin does. */
  plugin: { plugin_id: string; field_type: string } | null;
}

/** A row that is published already, with the id by which connections know it. */
export type StandingRow = RequestRow & { service_field_id: string };

/** A row whose answers are no longer asked for: from anybody, or from customers of one type. */
export interface Withdrawn {
  service_field_id: string;
  customers: RequestRow['audience'];
}

/** Whether two rows ask the same question: an answer to another type or plugin field would be read as something else. @gap D1-2.6 */
const isSameQuestion = (one: RequestRow, other: RequestRow): boolean =>
  one.slug === other.slug &&
  one.type === other.type &&
  one.plugin?.plugin_id === other.plugin?.plugin_id &&
  one.plugin?.field_type === other.plugin?.field_type;

/** Returns the rows of a publication, each with the id that it had before or with a new one. @gap D1-2.6 */
export const withIds = <Row extends RequestRow>(before: readonly StandingRow[], after: readonly Row[], newId: () => string) =>
  after.map((row) => ({ ...row, service_field_id: before.find((one) => isSameQuestion(one, row))?.service_field_id ?? newId() }));

/** Returns what a publication no longer asks for. @gap D1-2.6 */
export const withdrawnBy = (before: readonly StandingRow[], after: readonly RequestRow[]): Withdrawn[] =>
  before.flatMap((row) => {
    const customers = noLongerRequested(
      row,
      after.find((next) => isSameQuestion(row, next)),
    );
    return customers ? [{ service_field_id: row.service_field_id, customers }] : [];
  });

function noLongerRequested(row: RequestRow, next: RequestRow | undefined): Withdrawn['customers'] | undefined {
  if (!next) return 'both';
  if (next.audience === 'both' || next.audience === row.audience) return undefined;
  return next.audience === 'person' ? 'company' : 'person';
}

const isForType = (type: 'person' | 'company', { audience }: RequestRow): boolean => audience === 'both' || audience === type;

/** Whether customers of a type are asked something that they were not asked before. @gap D1-4.6 */
export const asksMoreOf = (type: 'person' | 'company', before: readonly RequestRow[], after: readonly RequestRow[]): boolean =>
  after.some((row) => isForType(type, row) && !before.some((one) => isSameQuestion(one, row) && isForType(type, one)));

/** Returns the ids of the rows that are one-time from now on and were live until now. @spec D1-2.6 */
export const onceFromNow = (before: readonly StandingRow[], after: readonly RequestRow[]): string[] =>
  before
    .filter((row) => !row.one_time && after.some((next) => isSameQuestion(row, next) && next.one_time))
    .map(({ service_field_id }) => service_field_id);

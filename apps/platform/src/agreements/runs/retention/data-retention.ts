import { RUN_RETENTION_DAYS } from '@codase/contracts';

/** Since when a company has a level without contract flows, and since when the free one. */
interface Lapse {
  without_flows_since: Date;
  free_since: Date | null;
}

/** A company, and when it lost its levels. */
export interface CompanyLapse extends Lapse {
  company_user_id: string;
}

const DAY_MS = 86_400_000;
const daysAfter = (at: Date, days: number) => new Date(at.getTime() + days * DAY_MS);

/** Returns when the data of a company's runs is deleted. The free level can only bring this date forward. @spec D2-8 */
export function dataEndsAt({ without_flows_since, free_since }: Lapse): Date {
  const ends = daysAfter(without_flows_since, RUN_RETENTION_DAYS.without_flows);
  const free = free_since && daysAfter(free_since, RUN_RETENTION_DAYS.free);
  return free && free < ends ? free : ends;
}

import { WRITES } from '../core/refusals.ts';

/** The refusals of what needs the password, and a code where the second factor is on. @gap D1-5.8 */
const NEEDS_PASSWORD = [...WRITES, 'request.invalid', 'account.password_wrong', 'account.code_required', 'account.code_invalid'] as const;
/** The refusals of a change of the password, at the portal and on the phone. @gap D1-5.8 */
export const CHANGES_PASSWORD = [...NEEDS_PASSWORD, 'account.password_weak'] as const;
/** The refusals of a request to change the e-mail address. Only the own address is refused as taken: others are not told of. @gap D1-5.8 */
export const REQUESTS_EMAIL = [...NEEDS_PASSWORD, 'account.email_invalid', 'account.email_taken'] as const;
/** The refusals of the steps that set a second factor up, at the portal and on the phone. @gap D1-5.8 */
export const BEGINS_SECOND_FACTOR = [...WRITES, 'request.invalid', 'account.password_wrong', 'account.second_factor_state'] as const;
export const CONFIRMS_SECOND_FACTOR = [...WRITES, 'request.invalid', 'account.code_invalid', 'account.second_factor_state'] as const;
/** The refusals of what needs the password and a code of the second factor. @gap D1-5.8 */
export const NEEDS_SECOND_FACTOR = [...CONFIRMS_SECOND_FACTOR, 'account.password_wrong'] as const;
/** The refusals of the confirmation of a new e-mail address. @gap D1-5.8 */
export const CONFIRMS_EMAIL = [...WRITES, 'request.invalid', 'account.code_invalid', 'account.email_taken'] as const;

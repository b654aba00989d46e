/** How long a detached enrolment waits for the person, and for how long after that its outcome can be read. @gap D1-4.5 */
export const DETACHED_MINUTES = 10;
/** How long a sign-up waits for the code that was mailed. @gap D1-5 */
export const SIGN_UP_HOURS = 24;
/** How long a code is valid that confirms the deletion of an account. @gap D1-5.8 */
export const DELETION_CODE_HOURS = 24;
/** How long a code is valid that confirms a new e-mail address. Short, because a mistyped address may be somebody's. @gap D1-5.8 */
export const EMAIL_CODE_HOURS = 1;
/** How long a code is valid that opens recovery copies: every copy of the account meanwhile, so a short time. @gap D1-5.1 */
export const RECOVERY_CODE_MINUTES = 15;
/** How long a sealed recovery copy may be. A secret is short. @gap D1-5.1 */
export const RECOVERY_COPY_CHARS = 4096;
/** How long a new authenticator waits for its first code. @gap D1-5.8 */
export const AUTHENTICATOR_MINUTES = 30;
/** How long a sign-in waits for the code after the password. @gap D1-5.8 */
export const SIGN_IN_STEP_MINUTES = 10;
/** For how long a browser that the user trusts is not asked for a code. @gap D1-5.8 */
export const TRUSTED_BROWSER_DAYS = 30;
/** How many browsers an account trusts, and how many phones a person registers. @gap D1-5.8 */
export const MAX_TRUSTED_DEVICES = 50;
/** How many devices with keys a person has. The one that was used least recently makes room. @gap D1-5 */
export const MAX_DEVICES = 20;
/** How long a device without a session stays registered: as long as a session lasts. @gap D1-5 */
export const UNUSED_DEVICE_DAYS = 90;
/** How many backup codes an account gets. @gap D1-5.8 */
export const BACKUP_CODES = 10;
/** @gap D1-5 */
export const PASSWORD_CHARS = { least: 10, most: 1024 } as const;

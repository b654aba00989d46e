/** The most values in one batch to the decryptor. @gap D1-2.3 */
export const OPEN_BATCH_VALUES = 200;
/** The longest salt of a verified value, as it is hashed. @gap D1-2.7 */
export const VERIFIED_SALT_CHARS = 1024;

/** The most members of a document's metadata. @gap D1-2.12 */
export const METADATA_MEMBERS = 50;
/** The longest name of a member of metadata. @gap D1-2.12 */
export const METADATA_NAME_CHARS = 200;

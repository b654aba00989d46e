/** Members of a document's metadata. @gap D1-2.12 */
export const METADATA_MEMBERS = 50;
/** Letters of the name of a member of metadata. @gap D1-2.12 */
export const METADATA_NAME_CHARS = 200;

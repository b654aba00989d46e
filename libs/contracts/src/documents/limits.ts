/** Members of a document's metadata. @gap D1-2.12 */
export const METADATA_MEMBERS = 50;

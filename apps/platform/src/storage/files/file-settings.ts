/** How files are stored in this region. */
export interface FileSettings {
  /** The store where files rest; files in the other store are moved there. */
  store: 'postgres' | 's3';
  /** How many days an object stays in the store after its file is gone. */
  deleteAfterDays: number;
}
export const FILE_SETTINGS = Symbol('settings of files');

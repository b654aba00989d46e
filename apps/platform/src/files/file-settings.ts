/** How files are stored in this region. */
export interface FileSettings {
  /** Where files come to rest; those elsewhere are moved. */
  store: 'postgres' | 's3';
  /** How long an object stays whose file is gone. */
  deleteAfterDays: number;
}
export const FILE_SETTINGS = Symbol('settings of files');

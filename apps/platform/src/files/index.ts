export { FILES } from './capability.ts';
export { FILE_SETTINGS, type FileSettings } from './file-settings.ts';
export { FileStoreFault } from './file-store.ts';
export { Files, piecesIn } from './files.service.ts';
export { RESTING_FILES, type RestingFile, type RestingFiles } from './resting-files.hook.ts';
export { findStored, markForDeletionOf, type StoredObject } from './stored-objects.store.ts';

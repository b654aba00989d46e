export { FILES } from './capability.ts';
export { FILE_SETTINGS, type FileSettings } from './file-settings.ts';
export { FileStoreFault, type FileContent, type FileStore } from './file-store.ts';
export { Files } from './files.service.ts';
export { endUpload, markForDeletion, markForDeletionOf, type StoredObject } from './stored-objects.store.ts';

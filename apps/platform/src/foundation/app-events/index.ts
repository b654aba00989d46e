export { APP_EVENTS } from './capability.ts';
export { emitAppEvents, type NewAppEvent } from './emit.store.ts';
export { APP_EVENT_PRESENTERS, type AppEventPresenter, type StoredAppEvent } from './presenters.hook.ts';

export { APP_EVENTS } from './capability.ts';
export { emitAppEvents, type NewAppEvent } from './emit.store.ts';
export { APP_EVENT_PRESENTERS, type AppEventPresenter } from './presenters.hook.ts';

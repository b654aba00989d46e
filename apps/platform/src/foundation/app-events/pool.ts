/** Connections of this capability: one listens, the others read events for the streams. */
export const APP_EVENTS_DB = Symbol('connections of app events');

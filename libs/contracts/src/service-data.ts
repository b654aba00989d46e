/** What a service's data client asks of connections, the feed and messages in one group; each is also a group of its own. */
export * from './connections/endpoints.ts';
export * from './feed/endpoints.ts';
export * from './messages/endpoints.ts';

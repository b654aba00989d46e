export { connect, type CdsClient, type ConnectOptions } from './client.ts';

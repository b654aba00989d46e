export const ACCESS_TOKEN_SECONDS = 3600; // @spec D1-8
/** @gap D1-8 */
export const AUTHORIZATION_CODE_SECONDS = 60;
/** For how many days a refresh token is valid. It rotates on use; a used one that comes again ends its family. @spec D1-8 @gap D1-8 */
export const REFRESH_TOKEN_DAYS = 30;
/** For how many days after its sign-in a session lasts, however often it is refreshed. @gap D1-8 */
export const SESSION_DAYS = 90;
/**
 * How many seconds the time in a proof or statement of a device may differ from the time of the server, in either direction. Each is
 * accepted once. @gap D1-8
 */
export const DEVICE_PROOF_SECONDS = 60;
/** For how many seconds a used refresh token gives its successor once more, to a client whose answer was lost. @gap D1-8 */
export const REFRESH_REPEAT_SECONDS = 10;

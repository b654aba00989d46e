export const ACCESS_TOKEN_SECONDS = 3600; // @spec D1-8
/** @gap D1-8 */
export const AUTHORIZATION_CODE_SECONDS = 60;
/** They rotate on use; a used one that comes again ends its family. @spec D1-8 @gap D1-8 */
export const REFRESH_TOKEN_DAYS = 30;
/** However often it is refreshed, a session ends this long after its sign-in. @gap D1-8 */
export const SESSION_DAYS = 90;
/** For so long a used refresh token gives its successor once more, to a client whose answer was lost. @gap D1-8 */
export const REFRESH_REPEAT_SECONDS = 10;

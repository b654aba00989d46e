export const ACCESS_TOKEN_SECONDS = 3600; // @spec D1-8
/** @gap D1-8 */
export const AUTHORIZATION_CODE_SECONDS = 60;
/** They rotate on use; a used one that comes again ends its family. @spec D1-8 @gap D1-8 */
export const REFRESH_TOKEN_DAYS = 30;

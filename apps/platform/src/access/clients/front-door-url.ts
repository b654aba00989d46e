/** Where a region sends clients whose secret it cannot check. */
export const FRONT_DOOR_URL = Symbol('the address of the front door');

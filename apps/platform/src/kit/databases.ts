/** Names of the data sources, for injection. The front door and each region have a database of their own. */
export const FRONT_DOOR_DB = Symbol('front door database');
export const REGION_DB = Symbol('region database');
/** The databases of all regions that a delivery process works for. */
export const REGION_DATABASES = Symbol('databases of the regions');

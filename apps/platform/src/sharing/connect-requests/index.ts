export { CONNECT_REQUESTS_CAPABILITY } from './capability.ts';
export { DeletedPersons } from './deleted-persons.service.ts';

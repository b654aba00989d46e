export { PEOPLE } from './capability.ts';
export { ContactData } from './contact-data/contact-data.service.ts';

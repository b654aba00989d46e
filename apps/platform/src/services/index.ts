export { ServicesModule } from './services.module.ts';

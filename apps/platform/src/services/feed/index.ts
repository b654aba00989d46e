export {
  CHANNEL_LOCK,
  forgetCustomer,
  forgetService,
  forgetSome,
  lockChannels,
  notifyDelivery,
  WEBHOOK_NOTIFICATION,
  purgeChannel,
  removeChannel,
  removeDelivered,
  removeLease,
  removeSome,
  removeWithReplaced,
} from './channel.store.ts';
export { companyEvents, type NewCustomerEvent } from './customer-event.ts';
export { emitCustomerEvents, emitManyCustomerEvents } from './customer-events.store.ts';
export { Drains } from './drains.service.ts';
export { emit, FEED_NOTIFICATION } from './emit.store.ts';
export { FEED } from './capability.ts';
export type { EventBody, NewEvent } from './new-event.ts';
export { SLOTS, slotsIn, type SlotSource } from './slots.hook.ts';
export { slotName, type SlotKey, type Slots, type SlotState } from './slots.ts';
export { isWanted, slotOf, presentEvent, type QueuedEvent } from './present-event.ts';

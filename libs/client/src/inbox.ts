/** A message as an inbox remembers it. */
export interface Noted {
  /** The group of handlers that the message is for. */
  consumer: string;
  message_id: string;
}

/** Remembers which messages were handled, in the store that the handlers write to. So a second delivery changes nothing. */
export interface Inbox<Tx> {
  /** Called once before the first message. */
  prepare?(): Promise<void>;
  /**
   * Notes the message and runs the work in one transaction, which the work gets as `tx`. Returns false, without running the work, when the
   * message was noted before. Throws `Refusal('service.unavailable')` when it cannot begin: the message then waits.
   */
  once(message: Noted, work: (tx: Tx) => Promise<void>): Promise<boolean>;
  /**
   * As `once`, for several messages of a group in one transaction. The work gets the ids that were not noted before. It returns how many of
   * the messages it handled, counted from the first: the others must not stay noted. An inbox without this method gets its messages one by
   * one.
   */
  onceAll?(consumer: string, message_ids: readonly string[], work: (tx: Tx, isNew: ReadonlySet<string>) => Promise<number>): Promise<void>;
}

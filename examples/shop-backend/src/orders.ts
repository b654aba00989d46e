import type { TurnHandlers } from '@codase/client';

/** The steps of the flow that the shop answers. `npm run -s codase -- flows types Order` generates this type. */
export type OrderFlow = {
  price: {
    answers: { quantity?: number };
    gives: { price: number; delivery: string };
  };
};

const BOX = 12.5;
const DAYS = 3;
const DAY_MS = 86_400_000;

/**
 * Answers the price and the delivery date of an order. The customer's answers are opened before, and the shop's answers are sealed for
 * every party afterwards, both outside of this process. A handler may run twice for one turn, so it returns the same both times.
 */
export const orderHandlers = (report: (line: string) => void): TurnHandlers<OrderFlow> => ({
  price: ({ answers: { quantity = 0 }, reference_date }) => {
    const price = quantity * BOX;
    const delivery = new Date(Date.parse(reference_date) + DAYS * DAY_MS).toISOString().slice(0, 10);
    report(`an order of ${quantity} boxes: ${price.toFixed(2)}, delivered on ${delivery}`);
    return { price, delivery };
  },
});

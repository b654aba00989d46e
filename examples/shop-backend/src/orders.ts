import type { TurnHandlers } from '@cds/client';

/** The steps of the flow that the shop answers; `npm run cds -- flows types Order` writes this. */
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
 * Says what an order costs and when it comes. What the customer answered is opened before, and what is answered here is sealed for every
 * party: neither is done in this process. A handler may run twice for one turn, so it gives the same both times.
 */
export const orderHandlers = (report: (line: string) => void): TurnHandlers<OrderFlow> => ({
  price: ({ answers: { quantity = 0 }, reference_date }) => {
    const price = quantity * BOX;
    const delivery = new Date(Date.parse(reference_date) + DAYS * DAY_MS).toISOString().slice(0, 10);
    report(`an order of ${quantity} boxes: ${price.toFixed(2)}, delivered on ${delivery}`);
    return { price, delivery };
  },
});

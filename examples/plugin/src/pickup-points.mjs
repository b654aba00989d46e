/** Sample data. Your plugin would use your own table or service. `serves` has the first digits of the postcodes that a point serves. */
const POINTS = [
  { id: 'west', name: 'Kiosk Westbahnhof', serves: '11', fee: 0, slots: ['morning', 'evening'] },
  { id: 'centre', name: 'Bookshop Graben', serves: '10', fee: 1.5, slots: ['morning', 'noon', 'evening'] },
  { id: 'centre-2', name: 'Bakery Naschmarkt', serves: '10', fee: 0.5, slots: ['morning'] },
  { id: 'north', name: 'Petrol station Floridsdorf', serves: '12', fee: 0, slots: ['evening'] },
];

const SLOTS = { morning: '8 to 12', noon: '12 to 15', evening: '15 to 20' };
const SHOWN = 20;

/**
 * A plugin that lets a customer choose where a parcel is picked up: first a point for the postcode, then one of the times of that point.
 */
export const PICKUP_POINTS = {
  name: 'Pickup points',
  field_types: [
    {
      field_type: 'pickup_point',
      label: 'Pickup point',
      blocks: [
        { key: 'point', kind: 'search_select', label: 'Pickup point' },
        { key: 'slot', kind: 'search_select', label: 'Time', depends_on: ['point'] },
      ],
      inputs: [{ key: 'postcode', type: 'text', label: 'Postcode', required: false }],
      outputs: [
        { key: 'fee', type: 'number', label: 'Fee' },
        { key: 'name', type: 'text', label: 'Name of the point' },
      ],
    },
  ],
  answer: (question) => {
    if (question.field_type !== 'pickup_point') return { question_invalid: true };
    return question.op === 'options' ? options(question) : outputs(question);
  },
};

/** Whether a point serves a postcode. Without a postcode every point may be picked. */
const isServed = (postcode, serves) => typeof postcode !== 'string' || postcode.startsWith(serves);
const pointsFor = ({ inputs = {} }) => POINTS.filter(({ serves }) => isServed(inputs['postcode'], serves));
const picked = (question) => pointsFor(question).find(({ id }) => id === question.picks?.['point']);

function options(question) {
  if (question.block === 'point')
    return found(
      pointsFor(question).map(({ id, name }) => ({ id, label: name })),
      question,
    );
  if (question.block !== 'slot') return { question_invalid: true };
  const point = picked(question);
  return point
    ? found(
        point.slots.map((id) => ({ id, label: SLOTS[id] })),
        question,
      )
    : { picks_invalid: true };
}

/** Returns the outputs, or `picks_invalid` when the picked point or time is not offered any more, so that the customer picks again. */
function outputs(question) {
  const point = picked(question);
  if (!point?.slots.includes(question.picks?.['slot'] ?? '')) return { picks_invalid: true };
  return { outputs: { fee: point.fee, name: point.name } };
}

function found(all, { query = '' }) {
  const matching = all.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
  return { options: matching.slice(0, SHOWN), more: matching.length > SHOWN };
}

/**
 * How many delegates a company may have, how many services it may grant to one of them, and how many companies of one region may have the
 * same user as a delegate. A sealed passphrase is shorter than `passphrase_chars`: the recipe makes one of about 480 characters. @gap D1-8
 */
export const DELEGATES = { per_company: 100, services_each: 100, companies_per_user: 50, passphrase_chars: 4096 } as const;
/** The longest side of a photo, and its most pixels: to show it, a program needs four bytes for each. @gap D1-8 */
export const PHOTO_PIXELS = { side: 16_384, all: 100_000_000 } as const;
/** The most photos of one profile, and of one service. @gap D1-8 */
export const PHOTOS_EACH = 20;

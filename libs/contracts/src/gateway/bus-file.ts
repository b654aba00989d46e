import { z } from 'zod';
import { RawFile } from '../core/file.ts';

const { base64ToUint8Array, uint8ArrayToBase64 } = z.core.util;

/** A file in a form that JSON can hold. */
const PackedFile = z.strictObject({ content_type: z.string(), base64: z.base64() });

const packed = RawFile.transform(({ content_type, bytes }) => ({ content_type, base64: uint8ArrayToBase64(bytes) }));
const unpacked = PackedFile.transform(({ content_type, base64 }) => ({ content_type, bytes: base64ToUint8Array(base64) }));

/** Lets a file travel on the bus, since JSON cannot hold bytes: packed as base64, and a RawFile for both sides. @gap D1-2.8 */
export const carriedByBus = (result: z.ZodType): z.ZodType => z.union([packed, unpacked, result]);

import { z } from 'zod';

/** Shapes that have a name of their own in the OpenAPI document. */
export const NAMED_SHAPES = z.registry<{ id: string; description?: string }>();

/** Names a shape, so that documents refer to it instead of repeating it. */
export function named<S extends z.ZodType>(id: string, shape: S, description?: string): S {
  NAMED_SHAPES.add(shape, { id, ...(description !== undefined && { description }) });
  return shape;
}

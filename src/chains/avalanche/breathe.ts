/** Lets other work run between slices of computation. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

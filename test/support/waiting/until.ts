/** No machine is slower than this. */
const PATIENCE_MS = 60_000

/** Waits until the condition holds. @throws Error that says `what` never happened */
export const until = async (condition: () => boolean, what: string): Promise<void> => {
  const end = performance.now() + PATIENCE_MS
  while (!condition()) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

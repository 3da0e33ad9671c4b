/** Waits until the condition holds; fails loudly when it never does. */
export const until = async (condition: () => boolean, what: string, withinMs = 60_000): Promise<void> => {
  const end = Date.now() + withinMs
  while (!condition()) {
    if (Date.now() > end) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

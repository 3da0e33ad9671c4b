/** How often others had a turn of the event loop while something was done. */
export async function turnsWhile<T>(work: () => Promise<T>): Promise<{ value: T; turns: number }> {
  let turns = 0
  let counting = true
  const count = (): void => {
    turns += 1
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  const value = await work()
  counting = false
  return { value, turns }
}

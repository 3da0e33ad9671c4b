export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The one line per figure that every benchmark ends with. */
export const ratioLine = (name: string, value: number, goal: `${'<=' | '>='} ${number}`): string =>
  `ratio ${name} ${value.toFixed(3)} goal ${goal}`

/** Edit distance with transpositions (Damerau, restricted), rows only. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** The known name closest to a misspelt one; undefined if none is near. */
export function closestName(given: string, names: Iterable<string>): string | undefined {
  const wanted = given.toLowerCase()
  const limit = Math.max(2, Math.floor(wanted.length / 4))
  let best: { name: string; far: number } | undefined
  for (const name of names) {
    // People often remember only the ending: `--port` for `--http-port`.
    const far = name.toLowerCase().endsWith(wanted) && wanted.length > 3 ? 1 : distance(wanted, name.toLowerCase())
    if (far <= limit && (best === undefined || far < best.far)) best = { name, far }
  }
  return best?.name
}

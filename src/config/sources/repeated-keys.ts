const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/**
 * Places in a JSON text where a key stands a second time in its object. JSON.parse takes the last one: a whole section that
 * stands further up would count for nothing, without a word.
 *
 * @param text that JSON.parse takes
 */
export function repeatedKeys(text: string): number[] {
  const places: number[] = []
  const open: (Set<string> | undefined)[] = []
  let previous: { text: string; place: number } | undefined
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':' && previous) {
      // Escapes may write one key in several ways.
      const key = JSON.parse(previous.text) as string
      if (open.at(-1)?.has(key)) places.push(previous.place)
      open.at(-1)?.add(key)
    }
    previous = { text: token, place: match.index }
  }
  return places
}

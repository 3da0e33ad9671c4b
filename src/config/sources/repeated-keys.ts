const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/**
 * Positions in a JSON text where a key is repeated in its object. JSON.parse takes the last one, and would silently
 * ignore a whole earlier section.
 *
 * @param text that JSON.parse accepts
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
      // Escapes can spell one key in several ways.
      const key = JSON.parse(previous.text) as string
      if (open.at(-1)?.has(key)) places.push(previous.place)
      open.at(-1)?.add(key)
    }
    previous = { text: token, place: match.index }
  }
  return places
}

import type { Config } from '../schema.ts'
import { type Server, serverLists } from './server-lists.ts'

/** The same for URLs that lead to the same place; keys may be in the headers, and make two users of one server. */
const placeOf = ({ url, kind, headers = {} }: Server): string => {
  const whole = URL.canParse(url) ? new URL(url).href : url
  return JSON.stringify([whole.replace(/\/(?=$|[?#])/, ''), kind, Object.entries(headers).sort()])
}

/**
 * A server that stands twice in the list of a chain would be two witnesses who always agree, be asked again in its own
 * place when it fails, and get twice the requests that it allows.
 */
export const sameServerProblems = (chains: Config['chains']): string[] =>
  serverLists(chains).flatMap(([name, servers]) => {
    const places = servers.map(placeOf)
    return places.flatMap((place, rank) => {
      const first = places.indexOf(place)
      return first === rank ? [] : [`${name}.${rank}.url: given that of ${name}.${first}; allowed: each server once`]
    })
  })

import { isIP } from 'node:net'

/** `host:port` without the port as Go's `net.SplitHostPort` reads it; undefined when it has no port or is invalid. */
function hostBeforePort(text: string): string | undefined {
  const inBrackets = /^\[([^\][]*)\]:[^:\][]*$/.exec(text)
  if (inBrackets) return inBrackets[1]
  return /^([^:\][]*):[^:\][]*$/.exec(text)?.[1]
}

/**
 * Whether a Host header is accepted: IP addresses always (version 6 in brackets only with a port, as at a node), names
 * when listed; the port is ignored. The check keeps web pages of strangers from reaching a local server through a name
 * that resolves to it (DNS rebinding).
 */
export function createHostCheck(allowed: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => name.toLowerCase()))
  if (names.has('*')) return () => true
  return (host) => {
    if (host === undefined || host === '') return true
    const name = hostBeforePort(host) ?? host
    // Go's addresses have no zones.
    return (isIP(name) !== 0 && !name.includes('%')) || names.has(name.toLowerCase())
  }
}

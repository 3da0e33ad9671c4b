import { isIP } from 'node:net'

/**
 * Whether a Host header is welcome: IP addresses always, names when listed; the port does not count. The check keeps web
 * pages of strangers from reaching a local server through a name that resolves to it (DNS rebinding).
 */
export function createHostCheck(allowed: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => name.toLowerCase()))
  if (names.has('*')) return () => true
  return (host) => {
    if (host === undefined || host === '') return true
    const name = /^\[(.*)\](:\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '')
    return isIP(name) !== 0 || names.has(name.toLowerCase())
  }
}

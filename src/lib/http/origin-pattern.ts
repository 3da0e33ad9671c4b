/** `https://*.example.org` allows anything in place of the star; only the first star counts. Case does not matter. */
export function originPattern(origin: string): RegExp {
  const star = origin.indexOf('*')
  const parts = star < 0 ? [origin] : [origin.slice(0, star), origin.slice(star + 1)]
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`, 'i')
}

import { formatDuration } from './amounts.js'
import { byId } from './element.js'

/** The server does not show older prices either. Milliseconds. */
const OLD = 600_000
const AGAIN = 10_000

/**
 * Shows the age of the data until the signal: a page left open overnight shows yesterday's holdings.
 * @param {number} since unix milliseconds
 * @param {AbortSignal} signal
 */
export function followAge(since, signal) {
  const element = byId('age', HTMLElement)
  const tell = () => {
    const age = Date.now() - since
    element.textContent = `Asked ${formatDuration(age / 1000)} ago${age > OLD ? ': it may have changed since.' : '.'}`
    element.classList.toggle('bad', age > OLD)
  }
  tell()
  const timer = setInterval(tell, AGAIN)
  document.addEventListener('visibilitychange', tell, { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
}

import { formatDuration } from './amounts.js'
import { byId } from './element.js'

/** Prices that are older are not shown by the server either. Milliseconds. */
const OLD = 600_000
const AGAIN = 10_000

/**
 * Says how long ago all of it was asked for, until the signal: a page that was open overnight shows what was held yesterday.
 * @param {number} since unix milliseconds
 * @param {AbortSignal} signal
 */
export function followAge(since, signal) {
  const element = byId('age', HTMLElement)
  const tell = () => {
    const age = Date.now() - since
    element.textContent = `Asked ${formatDuration(age / 1000)} ago${age > OLD ? ': all of it may be otherwise by now.' : '.'}`
    element.classList.toggle('bad', age > OLD)
  }
  tell()
  const timer = setInterval(tell, AGAIN)
  document.addEventListener('visibilitychange', tell, { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
}

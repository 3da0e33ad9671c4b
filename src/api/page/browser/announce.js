import { byId } from './element.js'

/** A stream of fifty answers must not become fifty announcements. Milliseconds. */
const PAUSE = 1_500

let lastAt = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/**
 * Tells people who listen instead of looking. Later words replace earlier ones that were not said yet.
 * @param {string} text
 */
export function announce(text) {
  clearTimeout(timer)
  const wait = Math.max(0, lastAt + PAUSE - Date.now())
  timer = setTimeout(() => {
    lastAt = Date.now()
    byId('live', HTMLElement).textContent = text
  }, wait)
}

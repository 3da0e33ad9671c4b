import { byId } from './element.js'

/** A stream of fifty answers must not become fifty announcements. Milliseconds. */
const PAUSE = 1_500

let lastAt = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/**
 * Announces a text to screen readers. Later texts replace earlier ones that were not announced yet.
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

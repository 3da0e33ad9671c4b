/** @import { Account } from './wire.js' */
import { writeAddress } from './addresses.js'

/**
 * State of the page after the `#` of its address: reloads and bookmarks keep it, and browsers never send it.
 * @typedef {{ addresses: string, currency: string | undefined, testnet: boolean | undefined, untrusted: boolean }} PageState
 */

/** @returns {PageState} */
export function readFragment() {
  const words = new URLSearchParams(location.hash.slice(1))
  const testnet = words.get('testnet')
  return {
    addresses: (words.get('of') ?? '').split(' ').join('\n'),
    currency: words.get('in') ?? undefined,
    testnet: testnet === null ? undefined : testnet === '1',
    untrusted: words.get('untrusted') === '1',
  }
}

/**
 * Only recognised addresses are written: a secret pasted by mistake never gets into the history.
 * @param {{ accounts: readonly Account[], currency: string, testnet: boolean, untrusted: boolean }} state
 */
export function writeFragment({ accounts, currency, testnet, untrusted }) {
  const words = new URLSearchParams()
  words.set('of', accounts.map(writeAddress).join(' '))
  words.set('in', currency)
  words.set('testnet', testnet ? '1' : '0')
  if (untrusted) words.set('untrusted', '1')
  history.replaceState(null, '', `#${words}`)
}

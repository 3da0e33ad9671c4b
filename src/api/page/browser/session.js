/** @import { Chain, Pair, Question } from './wire.js' */
/** @import { Portfolio } from './portfolio.js' */
import { followAge } from './age.js'
import { announce } from './announce.js'
import { fillCard, makeCard } from './card.js'
import { byId } from './element.js'
import { askBalances, RequestError } from './stream.js'
import { showSummary } from './summary.js'

/** Bodies in flight at once: the server shares its upstreams among all clients. */
const AT_ONCE = 2

/**
 * @typedef {object} SessionOptions
 * @property {Portfolio} portfolio
 * @property {string} currency
 * @property {boolean} untrusted
 * @property {Record<string, string>} blockchains
 * @property {() => Record<string, string>} headers
 * @property {(error: RequestError) => void} onRefused called once for each refused body
 * @property {(chain?: Chain) => void} retry
 */

/**
 * Shows one portfolio: a card per chain from the first moment on, filled as answers arrive.
 * @param {SessionOptions} options
 */
export function createSession({ portfolio, currency, untrusted, blockchains, headers, onRefused, retry }) {
  const controller = new AbortController()
  const { signal } = controller
  followAge(Date.now(), signal)
  /** @type {Map<string, HTMLElement>} */
  const cards = new Map(portfolio.chains.map((chain) => [chain.caip2Id, makeCard(chain)]))
  /** @type {Set<Chain>} */
  const stale = new Set()
  let drawing = false

  const draw = () => {
    drawing = false
    if (signal.aborted) return
    for (const chain of stale) {
      const card = cards.get(chain.caip2Id)
      if (card) keepingFocus(card, () => fillCard(card, chain, portfolio, { currency, blockchains, retry }))
    }
    stale.clear()
    announce(showSummary(portfolio, currency))
  }
  /** @param {readonly Chain[]} chains */
  const changed = (chains) => {
    for (const chain of chains) stale.add(chain)
    if (drawing) return
    drawing = true
    // Not by animation frames: background tabs have none, and would miss the end.
    setTimeout(draw, 30)
  }

  /** @param {Question} question */
  async function put({ data, pairs }) {
    // What failed may be asked again before this ends, and then waits for another answer.
    const open = new Set(pairs)
    let error = 'the stream ended before this was answered'
    try {
      const body = { data, currency, showUntrustedTokens: untrusted }
      for await (const item of askBalances(body, { headers: headers(), signal })) {
        if (signal.aborted) return
        const pair = portfolio.accept(item)
        if (!pair) continue
        open.delete(pair)
        changed([pair.chain])
      }
    } catch (trouble) {
      if (signal.aborted) return
      if (trouble instanceof RequestError) error = trouble.message
      if (trouble instanceof RequestError && trouble.status > 0) onRefused(trouble)
    }
    if (signal.aborted) return
    portfolio.giveUp([...open], error)
    changed(pairs.map(({ chain }) => chain))
  }

  return {
    stop: () => controller.abort(),
    /** @param {readonly Question[]} questions */
    async ask(questions) {
      byId('cards', HTMLElement).replaceChildren(...cards.values())
      showEmpty([])
      for (const card of cards.values()) card.hidden = false
      portfolio.waitFor(questions.flatMap(({ pairs }) => pairs))
      changed(portfolio.chains)
      draw()
      const left = [...questions]
      const work = async () => {
        for (let next = left.shift(); next && !signal.aborted; next = left.shift()) await put(next)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      if (signal.aborted) return
      draw()
      settle(portfolio, cards)
    },
  }
}

/**
 * Everything is answered: sorts cards by value and turns chains without holdings into one line. Cards stay where
 * they are while one of them has the focus.
 * @param {Portfolio} portfolio
 * @param {Map<string, HTMLElement>} cards
 */
function settle(portfolio, cards) {
  const box = byId('cards', HTMLElement)
  const ranked = [...portfolio.chains].sort((a, b) => rank(portfolio, cards, b) - rank(portfolio, cards, a))
  const empty = ranked.filter(({ caip2Id }) => cards.get(caip2Id)?.dataset['state'] === 'empty')
  for (const { caip2Id } of empty) {
    const card = cards.get(caip2Id)
    if (card) card.hidden = true
  }
  showEmpty(empty)
  if (box.contains(document.activeElement)) return
  box.replaceChildren(...ranked.flatMap(({ caip2Id }) => cards.get(caip2Id) ?? []))
}

/**
 * @param {Portfolio} portfolio
 * @param {Map<string, HTMLElement>} cards
 * @param {Chain} chain
 */
function rank(portfolio, cards, chain) {
  const { value } = portfolio.totalsOf(chain)
  const state = cards.get(chain.caip2Id)?.dataset['state']
  return state === 'empty' ? -2 : state === 'failed' && value === 0 ? -1 : value
}

/** @param {readonly Chain[]} chains */
function showEmpty(chains) {
  const line = byId('empty', HTMLElement)
  line.hidden = chains.length === 0
  line.textContent = `Nothing on ${chains.map(({ name }) => name).join(', ')}.`
}

/**
 * Redraws a card; a focused button of it has the focus again afterwards.
 * @param {HTMLElement} card
 * @param {() => void} redraw
 */
function keepingFocus(card, redraw) {
  const { activeElement } = document
  const at =
    activeElement && card.contains(activeElement)
      ? [...card.querySelectorAll('button')].indexOf(/** @type {HTMLButtonElement} */ (activeElement))
      : -1
  redraw()
  if (at >= 0) card.querySelectorAll('button')[at]?.focus()
}

/** @import { Chain, Holding, Part } from './wire.js' */
/** @import { Portfolio, Reading } from './portfolio.js' */
import { createMoney, formatAmount, formatPercent } from './amounts.js'
import { copyButton } from './copy.js'
import { letterIcon, make } from './element.js'
import { holdingsOf, partsOf } from './holdings.js'
import { partsBar } from './parts-bar.js'

/**
 * @typedef {{ currency: string, blockchains: Record<string, string>, retry: (chain: Chain) => void }} CardContext
 */

/**
 * Fills the card of one chain with its current state.
 * @param {HTMLElement} card
 * @param {Chain} chain
 * @param {Portfolio} portfolio
 * @param {CardContext} context
 */
export function fillCard(card, chain, portfolio, context) {
  const readings = portfolio.readingsOf(chain)
  const totals = portfolio.totalsOf(chain)
  const waiting = totals.answered < totals.asked
  const full = readings.some((one) => one.state === 'read' && hasSomething(one, context.blockchains))
  card.dataset['state'] = waiting ? 'waiting' : totals.failed > 0 ? 'failed' : full ? 'full' : 'empty'
  card.setAttribute('aria-busy', String(waiting))
  const shown = readings.filter((one) => one.state === 'failed' || hasSomething(one, context.blockchains))
  card.replaceChildren(
    head(chain, totals, full, context),
    ...shown.map((reading) => account(reading, readings.length > 1, context)),
    ...(totals.failed > 0 && !waiting ? [retryButton(chain, context)] : []),
  )
}

/**
 * An empty card, waiting.
 * @param {Chain} chain
 */
export const makeCard = (chain) => make('article', { class: 'card', 'aria-label': chain.name })

/**
 * @param {Reading} reading
 * @param {Record<string, string>} blockchains
 */
const hasSomething = (reading, blockchains) =>
  reading.state === 'read' && (holdingsOf(reading.item).length > 0 || partsOf(reading.item, blockchains).length > 0)

/**
 * @param {Chain} chain
 * @param {ReturnType<Portfolio['totalsOf']>} totals
 * @param {boolean} full
 * @param {CardContext} context
 */
function head(chain, totals, full, { currency }) {
  const { asked, answered, failed, unvalued, unpriced, value } = totals
  /** @type {HTMLElement} */
  let sum
  if (answered < asked && !full) sum = make('span', { class: 'skeleton' }, make('span', { class: 'unseen' }, 'reading'))
  else if (failed === asked) sum = make('span', { class: 'sum bad' }, 'could not be read')
  else if (!full) sum = make('span', { class: 'sum muted' }, failed > 0 ? 'incomplete' : 'nothing here')
  else if (value === 0 && unvalued + unpriced > 0) sum = make('span', { class: 'sum muted' }, 'no price')
  else {
    const least = failed + unvalued > 0 || answered < asked
    sum = make('span', { class: 'sum' }, `${least ? 'at least ' : ''}${createMoney(currency).value(value)}`)
  }
  const note = failed > 0 && failed < asked ? `${failed} of ${asked} could not be read` : undefined
  return make(
    'header',
    { class: 'card-head' },
    letterIcon(chain.letter ?? initials(chain.name)),
    make(
      'div',
      { class: 'card-title' },
      make('h3', {}, chain.name),
      chain.explorer === undefined ? undefined : explorerLink(chain.name, chain.explorer),
      note === undefined ? undefined : make('p', { class: 'bad small' }, note),
    ),
    sum,
  )
}

/**
 * @param {string} name
 * @param {string} url
 */
const explorerLink = (name, url) =>
  make(
    'a',
    { class: 'small', href: url, rel: 'noreferrer', target: '_blank' },
    'Explorer',
    make('span', { class: 'unseen' }, ` of ${name}, in a new tab`),
  )

/** @param {string} name */
const initials = (name) => {
  const [first = '?', second] = name.split(/[\s-]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  return second === undefined ? [...first].slice(0, 2).join('') : `${[...first][0]}${[...second][0]}`
}

/**
 * @param {Reading} reading
 * @param {boolean} named the account must be named
 * @param {CardContext} context
 */
function account(reading, named, context) {
  const { id } = reading.pair
  return make(
    'section',
    { class: 'account' },
    named || reading.state === 'failed' ? address(id) : undefined,
    ...(reading.state === 'failed' ? [make('p', { class: 'bad error' }, readable(reading.error))] : []),
    ...(reading.state === 'read' ? [rows(holdingsOf(reading.item), context), parts(reading, context)] : []),
  )
}

/**
 * Removes the name of the operation from an error, which means nothing to people.
 * @param {string} error
 */
const readable = (error) => `Could not be read: ${error.replace(/^\[\w+\] /, '')}`

/** @param {string} id */
const address = (id) =>
  make(
    'p',
    { class: 'address' },
    make('span', { class: 'mono short', title: id, 'aria-hidden': 'true' }, shortened(id)),
    make('span', { class: 'mono whole' }, id),
    copyButton(id),
  )

/** @param {string} id */
export const shortened = (id) => (id.length > 20 ? `${id.slice(0, 10)}…${id.slice(-6)}` : id)

/**
 * @param {readonly Holding[]} holdings
 * @param {CardContext} context
 */
const rows = (holdings, context) =>
  holdings.length === 0 ? undefined : make('ul', { class: 'rows' }, ...holdings.map((one) => row(one, context)))

/**
 * @param {Holding} holding
 * @param {CardContext} context
 */
function row(holding, { currency }) {
  const money = createMoney(currency)
  const { name, symbol, amount, decimals, price, value, changePercent, verdict, address: contract } = holding
  const { text, exact } = formatAmount(amount, decimals)
  return make(
    'li',
    { class: 'row' },
    make(
      'div',
      { class: 'what' },
      make('bdi', { class: 'symbol' }, symbol),
      name === symbol ? undefined : make('bdi', { class: 'name' }, name),
      verdict === undefined ? undefined : make('span', { class: 'badge' }, verdict),
      contract === undefined ? undefined : copyButton(contract, 'contract of'),
    ),
    make('data', { class: 'amount', value: exact, title: `${exact} ${symbol}` }, text),
    make(
      'div',
      { class: 'worth' },
      value === undefined
        ? make('span', { class: 'muted' }, 'no price')
        : make('span', { class: 'value' }, money.value(value)),
      price === undefined
        ? undefined
        : make(
            'span',
            { class: 'price' },
            money.price(price),
            changePercent === undefined ? '' : ' ',
            change(changePercent),
          ),
    ),
  )
}

/** @param {number | undefined} percent */
const change = (percent) =>
  percent === undefined
    ? undefined
    : make('span', { class: percent > 0 ? 'up' : percent < 0 ? 'down' : 'muted' }, formatPercent(percent))

/**
 * @param {Extract<Reading, { state: 'read' }>} reading
 * @param {CardContext} context
 */
function parts(reading, { blockchains }) {
  const all = partsOf(reading.item, blockchains)
  if (all.length === 0) return undefined
  const held = all.filter(({ place }) => place === 'held')
  const onC = reading.item.networkType === 'coreth'
  return make(
    'div',
    { class: 'parts' },
    held.length > 1 ? partsBar(held) : undefined,
    make('dl', {}, ...all.flatMap((part) => partLine(part, part.place === 'apart' && !onC))),
  )
}

/**
 * @param {Part} part
 * @param {boolean} apart it is not in the sum, which must be stated
 */
function partLine({ label, amount, symbol, decimals }, apart) {
  const { text, exact } = formatAmount(amount, decimals)
  return [
    make('dt', {}, label, apart ? make('span', { class: 'muted' }, ' (not in the sum)') : undefined),
    make('dd', {}, make('data', { value: exact, title: `${exact} ${symbol}` }, text), ' ', make('bdi', {}, symbol)),
  ]
}

/**
 * @param {Chain} chain
 * @param {CardContext} context
 */
function retryButton(chain, context) {
  const button = make(
    'button',
    { type: 'button', class: 'retry' },
    'Ask again',
    make('span', { class: 'unseen' }, ` ${chain.name}`),
  )
  button.addEventListener('click', () => context.retry(chain))
  return button
}

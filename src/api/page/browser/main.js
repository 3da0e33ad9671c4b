/** @import { Account, Chain, Facts, Pair, Question } from './wire.js' */
import { MOST_ACCOUNTS, readAddresses, writeAddress } from './addresses.js'
import { announce } from './announce.js'
import { shortened } from './card.js'
import { byId, make } from './element.js'
import { readFragment, writeFragment } from './fragment.js'
import { followIndex } from './index-view.js'
import { createPortfolio } from './portfolio.js'
import { planQuestions } from './questions.js'
import { createSession } from './session.js'

const CREDENTIAL = 'firn-credential'
/** Milliseconds. */
const NAMES_LATER = 3_000
/** How long the server's facts are valid, and how long to wait for them. Milliseconds. */
const FRESH = 3_000
const PATIENCE = 10_000
/** @type {Record<Account['kind'], string>} */
const KINDS = {
  evm: 'EVM',
  bitcoin: 'Bitcoin',
  solana: 'Solana',
  avalanche: 'Avalanche',
  xpub: 'Extended key, P and X',
}

const form = byId('ask', HTMLFormElement)
const addresses = byId('addresses', HTMLTextAreaElement)
const credential = byId('credential', HTMLInputElement)
const currency = byId('currency', HTMLSelectElement)
const testnet = byId('testnet', HTMLInputElement)
const untrusted = byId('untrusted', HTMLInputElement)

/** @type {ReturnType<typeof createSession> | undefined} */
let session
let factsAt = 0
let shows = 0

start().catch(() => trouble('The server could not be reached. Reload the page to try again.'))

async function start() {
  const facts = await loadFacts()
  currency.replaceChildren(...facts.currencies.map((word) => make('option', { value: word }, word.toUpperCase())))
  credential.value = stored() ?? ''
  tellCredential(facts)
  const restore = () => {
    const state = readFragment()
    addresses.value = state.addresses
    currency.value = state.currency !== undefined && facts.currencies.includes(state.currency) ? state.currency : 'usd'
    // If only test networks are served, show them.
    testnet.checked = state.testnet ?? facts.chains.every((chain) => chain.testnet)
    untrusted.checked = state.untrusted
    if (state.addresses !== '') void show(facts)
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void show(facts)
  })
  for (const control of [currency, testnet, untrusted]) {
    control.addEventListener('change', () => {
      if (session) void show(facts)
    })
  }
  addresses.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
  })
  byId('refresh', HTMLButtonElement).addEventListener('click', () => void show(facts))
  addEventListener('hashchange', restore)
  restore()
  void followIndex(facts)
  // A server that has just started must first ask its nodes for the names of their chains.
  if (Object.keys(facts.blockchains).length > 0) return
  setTimeout(() => void renew(facts), NAMES_LATER)
}

/** @param {Facts} facts */
const tellCredential = ({ credentialHeader }) => {
  byId('credential-field', HTMLElement).hidden = credentialHeader === undefined
}

/**
 * A page may be open for longer than its server has run: refreshes chains, prefixes and names from the server.
 * @param {Facts} facts
 */
async function renew(facts) {
  const later = await loadFacts().catch(() => undefined)
  if (!later) return
  const { blockchains, ...others } = later
  // Existing cards look names up in this same object.
  Object.assign(facts.blockchains, blockchains)
  Object.assign(facts, others)
  tellCredential(facts)
}

/** @returns {Promise<Facts>} */
async function loadFacts() {
  const response = await fetch('page/facts.json', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) })
  if (!response.ok) throw new Error(`answered ${response.status}`)
  const facts = await response.json()
  factsAt = Date.now()
  return facts
}

/**
 * Reads the form and requests everything in it.
 * @param {Facts} facts
 */
async function show(facts) {
  shows += 1
  const mine = shows
  trouble('')
  session?.stop()
  session = undefined
  byId('portfolio', HTMLElement).hidden = true
  if (Date.now() - factsAt > FRESH) await renew(facts)
  if (mine !== shows) return
  const { accounts, unknown, secret, tooMany } = readAddresses(addresses.value, facts.prefixes)
  addresses.value = [...accounts.map(writeAddress), ...unknown.map(({ text }) => text)].join('\n')
  showUnknown(unknown, secret, tooMany)
  showRecognised(accounts)
  writeFragment({ accounts, currency: currency.value, testnet: testnet.checked, untrusted: untrusted.checked })
  store(credential.value)
  if (accounts.length === 0) {
    if (unknown.length === 0 && !secret) trouble('Paste at least one address.')
    addresses.focus()
    return
  }
  const questions = planQuestions(accounts, facts.chains, testnet.checked)
  if (questions.length === 0)
    trouble(`No ${testnet.checked ? 'test' : 'main'} network that this server supports has addresses of this form.`)
  else ask(facts, accounts, questions)
}

/**
 * @param {Facts} facts
 * @param {readonly Account[]} accounts
 * @param {readonly Question[]} questions
 */
function ask(facts, accounts, questions) {
  const portfolio = createPortfolio(questions.flatMap(({ pairs }) => pairs))
  const testnets = testnet.checked
  /** @param {Chain} [chain] only this one */
  const retry = (chain) => {
    trouble('')
    const failed = portfolio.failed().filter((pair) => chain === undefined || pair.chain === chain)
    void mine.ask(again(accounts, failed, testnets))
  }
  const header = facts.credentialHeader
  const mine = createSession({
    portfolio,
    currency: currency.value,
    untrusted: untrusted.checked,
    blockchains: facts.blockchains,
    headers: () => (header === undefined ? {} : { [header]: credential.value }),
    onRefused: ({ status, message }) => {
      trouble(message)
      if (status !== 401) return
      byId('credential-field', HTMLElement).hidden = false
      credential.focus()
    },
    retry,
  })
  session = mine
  byId('retry', HTMLButtonElement).onclick = () => retry()
  byId('portfolio', HTMLElement).hidden = false
  void mine.ask(questions)
}

/**
 * Questions for these pairs only.
 * @param {readonly Account[]} accounts
 * @param {readonly Pair[]} pairs
 * @param {boolean} testnets
 */
function again(accounts, pairs, testnets) {
  const chains = [...new Set(pairs.map(({ chain }) => chain))]
  return chains.flatMap((chain) => {
    const ids = new Set(pairs.filter((pair) => pair.chain === chain).map(({ id }) => id))
    return planQuestions(
      accounts.filter(({ id }) => ids.has(id)),
      [chain],
      testnets,
    )
  })
}

/** @param {readonly Account[]} accounts */
function showRecognised(accounts) {
  const list = byId('recognised', HTMLUListElement)
  list.hidden = accounts.length === 0
  const side = testnet.checked ? 'testnet' : 'mainnet'
  list.replaceChildren(
    ...accounts.map((account) => {
      const away = account.side !== 'both' && account.side !== side
      const note = away ? ` (${account.side === 'testnet' ? 'test' : 'main'} network: not asked)` : ''
      const letters = account.kind === 'avalanche' ? ` ${account.letters.join(', ')}` : ''
      return make(
        'li',
        { class: away ? 'away' : undefined },
        make('span', { class: 'kind' }, `${KINDS[account.kind]}${letters}${note}`),
        ' ',
        make('span', { class: 'mono', title: account.id }, shortened(account.id)),
      )
    }),
  )
}

/**
 * @param {readonly { text: string, why: string }[]} unknown
 * @param {boolean} secret
 * @param {number} tooMany
 */
function showUnknown(unknown, secret, tooMany) {
  const box = byId('unknown', HTMLElement)
  const lines = unknown
    .slice(0, 10)
    .map(({ text, why }) => make('li', {}, make('bdi', { class: 'mono' }, clipped(text)), `: ${why}`))
  const more = unknown.length > lines.length ? [make('li', {}, `and ${unknown.length - lines.length} more`)] : []
  box.hidden = lines.length === 0 && !secret && tooMany === 0
  box.replaceChildren(
    ...(secret
      ? [
          make(
            'p',
            {},
            'That looked like a private key or a seed phrase. It was removed and sent nowhere. Nobody needs it to see a balance.',
          ),
        ]
      : []),
    ...(tooMany > 0 ? [make('p', {}, `Only the first ${MOST_ACCOUNTS} are asked; ${tooMany} were left out.`)] : []),
    ...(lines.length > 0 ? [make('p', {}, 'Not understood:'), make('ul', {}, ...lines, ...more)] : []),
  )
}

/** @param {string} text */
const clipped = (text) => (text.length > 80 ? `${text.slice(0, 80)}…` : text)

/** @param {string} message empty = none */
function trouble(message) {
  const line = byId('trouble', HTMLElement)
  line.hidden = message === ''
  line.textContent = message
  if (message !== '') announce(message)
}

/** Browsers may forbid storage; then the credential lives as long as the page. */
function stored() {
  try {
    return sessionStorage.getItem(CREDENTIAL)
  } catch {
    return null
  }
}

/** @param {string} value */
function store(value) {
  try {
    if (value === '') sessionStorage.removeItem(CREDENTIAL)
    else sessionStorage.setItem(CREDENTIAL, value)
  } catch {
    // It stays in the field.
  }
}

/** @import { Chain, Facts, IndexReport, Stream } from './wire.js' */
import { formatDuration } from './amounts.js'
import { byId, make } from './element.js'

/** Polling interval; hidden pages do not poll. Milliseconds. */
const MOVING = 2_000
const STANDING = 15_000
const PATIENCE = 10_000

/** @type {Record<string, string>} */
const PHASES = {
  standby: 'another process indexes, this one waits',
  starting: 'starting',
  'catching-up': 'catching up',
  following: 'at the tip',
  failing: 'failing, trying again',
  blocked: 'stands before a block it cannot read',
}

/**
 * Shows the progress of the index, and updates it while the page is visible.
 * @param {Facts} facts
 */
export async function followIndex(facts) {
  for (;;) {
    const report = await ask()
    show(report, facts.chains)
    if (report && !report.enabled) return
    const moving = !report || report.streams.some(({ phase }) => phase !== undefined && phase !== 'following')
    await pause(moving ? MOVING : STANDING)
  }
}

/** @returns {Promise<IndexReport | undefined>} undefined = could not be asked */
async function ask() {
  try {
    const response = await fetch('page/index.json', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

/** @param {number} ms */
const pause = (ms) =>
  /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      const later = () => {
        if (!document.hidden) return resolve()
        document.addEventListener('visibilitychange', () => resolve(), { once: true })
      }
      setTimeout(later, ms)
    })
  )

/**
 * @param {IndexReport | undefined} report
 * @param {readonly Chain[]} chains
 */
function show(report, chains) {
  const note = byId('index-note', HTMLElement)
  const list = byId('streams', HTMLUListElement)
  note.textContent = noteOf(report)
  note.hidden = note.textContent === ''
  note.classList.toggle('bad', report === undefined)
  // A number that is no longer known must not stay.
  list.replaceChildren(...(report?.streams ?? []).map((stream) => line(stream, chains)))
}

/** @param {IndexReport | undefined} report */
function noteOf(report) {
  if (!report) return 'The index does not answer at the moment; it may just be starting.'
  if (!report.enabled) return 'This server keeps no index; balances come from the chains themselves.'
  if (report.role === 'elsewhere') return 'Another process keeps the index that this server reads.'
  if (report.role === 'starting') return 'The index is starting.'
  if (report.role === 'standby') return 'Another process keeps the index; this one takes over if it stops.'
  return report.streams.length === 0 ? 'Nothing is indexed yet.' : ''
}

/**
 * @param {Stream} stream
 * @param {readonly Chain[]} chains
 */
function line(stream, chains) {
  const { height, tip, phase, stalled } = stream
  const bad = stalled === true || phase === 'failing' || phase === 'blocked'
  const name = nameOf(stream.name, chains)
  return make(
    'li',
    { class: 'stream' },
    make('span', { class: 'stream-name' }, name),
    make('span', { class: 'stream-height' }, heightText(height, tip)),
    tip === undefined ? undefined : bar(name, height, tip),
    make('span', { class: `stream-note ${bad ? 'bad' : 'muted'}` }, noteOn(stream)),
  )
}

/** @param {string | undefined} height @param {string | undefined} tip */
function heightText(height, tip) {
  if (height === undefined) return tip === undefined ? 'no block yet' : `no block yet, tip ${count(tip)}`
  return tip === undefined || tip === height ? `block ${count(height)}` : `block ${count(height)} of ${count(tip)}`
}

/** @param {string} number */
const count = (number) => number.replace(/\B(?=(\d{3})+$)/g, ',')

/**
 * @param {string} name
 * @param {string | undefined} height
 * @param {string} tip
 */
function bar(name, height, tip) {
  const value = height === undefined ? 0n : thousandths(BigInt(height), BigInt(tip))
  return make('progress', { max: '1000', value: String(value), 'aria-label': `${name} indexed` })
}

/** @param {bigint} height @param {bigint} tip */
const thousandths = (height, tip) => (tip === 0n ? 1000n : (height * 1000n) / tip)

/** @param {Stream} stream */
function noteOn({ phase, blocksPerSecond = 0, etaSeconds, ageSeconds, stalled, failures = 0 }) {
  const rate = blocksPerSecond >= 10 ? Math.round(blocksPerSecond) : Number(blocksPerSecond.toFixed(1))
  const words = [
    stalled === true ? 'stands still' : phase === undefined ? undefined : (PHASES[phase] ?? phase),
    phase === 'catching-up' && rate > 0 ? `${rate} blocks/s` : undefined,
    etaSeconds === undefined ? undefined : `about ${formatDuration(etaSeconds)} left`,
    ageSeconds === undefined ? undefined : `current ${formatDuration(ageSeconds)} ago`,
    failures > 0 ? `${failures} ${failures === 1 ? 'failure' : 'failures'} in a row; the log says why` : undefined,
  ]
  return words.filter((word) => word !== undefined).join(' · ')
}

/**
 * @param {string} stream `testnet:P` or `eip155:<chain id>`
 * @param {readonly Chain[]} chains
 */
function nameOf(stream, chains) {
  const native = /^(mainnet|testnet):([PXC])$/.exec(stream)
  if (native) return native[1] === 'mainnet' ? `${native[2]}-Chain` : `${native[2]}-Chain, test network`
  return chains.find(({ caip2Id }) => caip2Id === stream)?.name ?? stream
}

import { readAs } from './lookalike.ts'

/** Endings that make a dotted word a web address. Symbols such as `USDC.e` and `BTC.b` have none of them. */
const ENDINGS: ReadonlySet<string> = new Set(
  (
    'com net org io xyz app site online top info finance fi me co vip pro live club shop store space fun network ' +
    'exchange trade claims claim gift gifts lol link click cc ru cn us uk eu de ai dev gg tech world today events wtf ' +
    'cash fund capital markets money tv to win bet cfd sbs icu buzz biz art zone ltd digital cloud website social id ' +
    'bio plus run page pw tk ga ml cf gq im is sh so ws foundation community tools limited meme bond cyou rest ' +
    'monster quest best agency center company email global group guru host press services solutions support systems ' +
    'ventures wiki win work works'
  ).split(' '),
)

/** Projects whose own tokens are named after their domain. */
const PROJECTS: ReadonlySet<string> = new Set(['curve.fi', 'yearn.finance', 'ether.fi', 'stake.link', 'crypto.com'])

const CALLS: ReadonlySet<string> = new Set(
  'claim claims claimable airdrop airdrops giveaway giveaways visit'.split(' '),
)
const LURES: ReadonlySet<string> = new Set(
  (
    'reward rewards bonus bonuses free gift gifts win winner winners eligible redeem voucher vouchers ticket tickets ' +
    'receive get prize prizes promo promotion lucky access activate refund unlock'
  ).split(' '),
)

/** Without surrounding dots and dashes of a sentence. */
const withoutEdgeDots = (word: string): string => {
  let from = 0
  let to = word.length
  while (from < to && '.-'.includes(word.charAt(from))) from += 1
  while (to > from && '.-'.includes(word.charAt(to - 1))) to -= 1
  return word.slice(from, to)
}

const isWebAddress = (word: string): boolean => {
  const labels = word.split('.')
  return labels.length > 1 && labels.every((label) => label !== '') && ENDINGS.has(labels[labels.length - 1] ?? '')
}

const looksLikeLink = (text: string): boolean =>
  text.includes('://') || text.includes('www.') || text.includes('t.me/') || text.includes('bit.ly/')

/**
 * True when a name or symbol is an advertisement rather than a name: a link or web address (except those of a few
 * projects named after theirs), a call such as "claim" or "visit", two lures ("free", "bonus", …), or one lure with an
 * amount ("$1000 reward"). The text is evaluated as a reader sees it, so that letters of other alphabets do not hide
 * it.
 */
export const isBait = (text: string): boolean => {
  const read = readAs(text)
  if (looksLikeLink(read)) return true
  const words = read.split(/[^a-z0-9.-]+/).map(withoutEdgeDots)
  if (words.some((word) => isWebAddress(word) && !PROJECTS.has(word))) return true
  const plain = words.flatMap((word) => word.split(/[.-]/))
  if (plain.some((word) => CALLS.has(word))) return true
  const lures = new Set(plain.filter((word) => LURES.has(word))).size
  const amount = read.includes('$') || plain.some((word) => /^\d{3,}$/.test(word))
  return lures > 1 || (lures === 1 && amount)
}

/** The 13 fiat currencies of the balance API, lower case as in requests (balance spec, currency values). */
export const CURRENCIES = [
  'usd',
  'eur',
  'aud',
  'cad',
  'chf',
  'clp',
  'czk',
  'dkk',
  'gbp',
  'hkd',
  'huf',
  'brl',
  'mxn',
] as const

export type Currency = (typeof CURRENCIES)[number]

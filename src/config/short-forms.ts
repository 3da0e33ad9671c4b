import { variableName } from './keys.ts'

export type ShortFormName = 'chain-upstreams' | 'avalanche-mainnet-node' | 'avalanche-testnet-node' | 'without'

interface ShortForm {
  flag: ShortFormName
  variable: string
  placeholder: string
  description: string
  /** Separates several values in one text; the flag may also be repeated. */
  separator: RegExp
}

const form = (flag: ShortFormName, placeholder: string, description: string, separator: RegExp): ShortForm => ({
  flag,
  variable: variableName(flag),
  placeholder,
  description,
  separator,
})

/** The default rate is for public servers; an operator's own node must not be throttled. */
export const OWN_NODE_REQUESTS_PER_SECOND = 2_000

/** The most common settings as one short flag instead of JSON. All of them may be repeated. */
export const shortForms: readonly ShortForm[] = [
  form(
    'chain-upstreams',
    '<chain>=<url>[,<url>…]',
    'Replace the upstreams of a known chain, named as in CAIP-2 (eip155:43114) or avalanche:mainnet, avalanche:testnet. Bitcoin: tcp:// and tls:// are Electrum, blockbook+https:// is Blockbook, else Esplora.',
    /\s+/,
  ),
  form(
    'avalanche-mainnet-node',
    '<url>',
    `Use this node for P, X, C and the C-chain EVM of mainnet, instead of all public upstreams. IDs are read from it. Its requestsPerSecond is ${OWN_NODE_REQUESTS_PER_SECOND}, also under /ext; to change that, name the node in the chains' upstreams.`,
    /[\s,]+/,
  ),
  form('avalanche-testnet-node', '<url>', 'The same for the testnet; the node may be of any network.', /[\s,]+/),
  form(
    'without',
    '<chain>',
    'Remove a chain (eip155:1, avalanche:testnet) or a whole family (eip155, bip122, solana, avalanche).',
    /[\s,]+/,
  ),
]

/** One use of a short form. */
export interface ShortFormUse {
  flag: ShortFormName
  value: string
  /** As shown to people. */
  origin: string
}

/** Splits the text of a short form into its uses. */
export function readShortForm(short: ShortForm, text: string, origin: string): ShortFormUse[] {
  return text
    .split(short.separator)
    .filter((value) => value !== '')
    .map((value) => ({ flag: short.flag, value, origin }))
}

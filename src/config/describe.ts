import { allowedBy } from './allowed.ts'
import { catalogue } from './catalogue/index.ts'
import { defaultText } from './key-text.ts'
import { type ConfigKey, configKeys } from './keys.ts'
import { shortForms } from './short-forms.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const code = (text: string) => `\`${text}\``
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

function keyCells(key: ConfigKey): string[] {
  const fallback = defaultText(key)
  return [
    code(key.name),
    key.flags.map((flag) => code(`--${flag}`)).join(' '),
    key.variables.map(code).join(' '),
    fallback === undefined ? '' : path(fallback),
    allowedBy(key.schema),
    key.description,
  ]
}

const path = (text: string) => (text === 'built-in catalogue' ? text : code(text))

const host = ({ url }: { url: string }) => new URL(url).host

function chainRows(): string[][] {
  const { evm, bitcoin, solana, avalanche } = catalogue
  return [
    ...Object.entries(avalanche).map(([name, chain]) => ['avalanche', name, chain] as const),
    ...Object.entries(evm).map(([id, chain]) => ['eip155', id, chain] as const),
    ...Object.entries(bitcoin).map(([id, chain]) => ['bip122', id, chain] as const),
    ...Object.entries(solana).map(([id, chain]) => ['solana', id, chain] as const),
  ].map(([namespace, id, { name, native, upstreams }]) => [
    code(`${namespace}:${id}`),
    name,
    native?.symbol ?? '',
    [...new Set(upstreams.map(host))].join(', '),
  ])
}

/** Markdown tables of all keys, short forms and built-in chains, for the documentation. */
export function describeConfig(): { keys: string; shortForms: string; chains: string } {
  return {
    keys: table(['Key', 'Flag', 'Variable', 'Default', 'Allowed', 'What it does'], configKeys.map(keyCells)),
    shortForms: table(
      ['Flag', 'Variable', 'What it does'],
      shortForms.map((short) => [
        code(`--${short.flag} ${short.placeholder}`),
        code(short.variable),
        short.description,
      ]),
    ),
    chains: table(['Chain', 'Name', 'Coin', 'Public upstreams'], chainRows()),
  }
}

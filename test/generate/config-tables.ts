import type { TSchema } from '@sinclair/typebox'
import { allowedBy } from '../../src/config/allowed.ts'
import { catalogue } from '../../src/config/catalogue/index.ts'
import { defaultText } from '../../src/config/key-text.ts'
import { type ConfigKey, configKeys, isOptional, membersOf } from '../../src/config/keys.ts'
import {
  AvalancheNetworkSchema,
  BitcoinChainSchema,
  EvmChainSchema,
  SolanaChainSchema,
} from '../../src/config/sections/chains.ts'
import { shortForms } from '../../src/config/short-forms.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const code = (text: string) => `\`${text}\``
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

const shownDefault = (text: string) => (text === 'built-in catalogue' ? text : code(text))

function keyCells(key: ConfigKey): string[] {
  const fallback = defaultText(key)
  return [
    code(key.name),
    key.flags.map((flag) => code(`--${flag}`)).join(' '),
    key.variables.map(code).join(' '),
    fallback === undefined ? '' : shownDefault(fallback),
    allowedBy(key.schema),
    key.description,
  ]
}

const hostOf = ({ url }: { url: string }) => new URL(url).host

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
    [...new Set(upstreams.map(hostOf))].join(', '),
  ])
}

/** One line for each member of an entry, members of members by dotted names: name, default, what is allowed, why. */
function memberRows(schema: TSchema, prefix = '', inOptional = false): string[][] {
  return Object.entries(membersOf(schema) ?? {}).flatMap(([step, member]) => {
    const name = `${prefix}${step}`
    if (membersOf(member) !== undefined) return memberRows(member, `${name}.`, isOptional(member))
    const value: unknown = member.default
    const preset = value === undefined || (Array.isArray(value) && value.length === 0) ? '' : code(String(value))
    const allowed = step === 'upstreams' ? 'a list of at least 1: each an upstream, see below' : allowedBy(member)
    const needed = inOptional || isOptional(member) || value !== undefined ? preset : 'needed'
    return [[code(name), needed, allowed, member.description ?? '']]
  })
}

/** Members of chains of several families; what is the same in some of them stands there once. */
function chainMemberRows(): string[][] {
  const families: [string, TSchema][] = [
    ['evm', EvmChainSchema],
    ['bitcoin', BitcoinChainSchema],
    ['solana', SolanaChainSchema],
    ['avalanche', AvalancheNetworkSchema],
  ]
  const found = new Map<string, { cells: string[]; of: string[] }>()
  for (const [family, schema] of families)
    for (const cells of memberRows(schema)) {
      const key = JSON.stringify(cells)
      const known = found.get(key)
      if (known) known.of.push(family)
      else found.set(key, { cells, of: [family] })
    }
  return [...found.values()].map(({ cells: [name = '', ...rest], of }) => [
    name,
    of.length === families.length ? 'all' : of.join(', '),
    ...rest,
  ])
}

const itemsOf = (schema: TSchema): TSchema => schema['items'] as TSchema

/** Entries of a key that takes objects by names of their own. */
const entriesOf = (schema: TSchema): TSchema => {
  const [entry] = Object.values(schema['patternProperties'] as Record<string, TSchema>)
  if (entry === undefined) throw new Error('no entries')
  return entry
}

function schemaOf(name: string): TSchema {
  const key = configKeys.find((one) => one.name === name)
  if (key === undefined) throw new Error(`no key ${name}`)
  return key.schema
}

/** Sections of the configuration by the first word of their keys, as the page lists them. */
const SECTIONS: readonly (readonly [title: string, words: readonly string[]])[] = [
  ['Process, log and data folder', ['mode', 'log', 'dataDir']],
  ['HTTP', ['http']],
  ['Balances', ['balance']],
  ['Prices, token lists and verdicts', ['market']],
  ['Upstreams', ['upstream']],
  ['Node APIs under /ext', ['node']],
  ['Index', ['index']],
  ['Database and Redis', ['store', 'redis']],
  ['Indexed API', ['data']],
  ['Page, metrics and traces', ['page', 'metrics', 'otel']],
  ['Chains', ['chains']],
]

/** A Markdown table of each section's keys. */
export const keyTables: readonly (readonly [title: string, table: string])[] = SECTIONS.map(([title, words]) => [
  title,
  table(
    ['Key', 'Flag', 'Variable', 'Default', 'Allowed', 'What it does'],
    configKeys.filter(({ name }) => words.includes(name.split('.', 1)[0] ?? '')).map(keyCells),
  ),
])

const MEMBERS = ['Member', 'Default', 'Allowed', 'What it does']

/** Markdown tables of what is in entries of keys, short forms and built-in chains. */
export const configTables = {
  shortForms: table(
    ['Flag', 'Variable', 'What it does'],
    shortForms.map((short) => [code(`--${short.flag} ${short.placeholder}`), code(short.variable), short.description]),
  ),
  builtIn: table(['Chain', 'Name', 'Coin', 'Public upstreams'], chainRows()),
  chain: table(['Member', 'In', 'Default', 'Allowed', 'What it does'], chainMemberRows()),
  // Bitcoin's have one member more than the others.
  upstream: table(MEMBERS, memberRows(itemsOf(BitcoinChainSchema.properties.upstreams))),
  plan: table(MEMBERS, memberRows(entriesOf(schemaOf('data.plans')))),
  apiKey: table(MEMBERS, memberRows(itemsOf(schemaOf('data.apiKeys')))),
}

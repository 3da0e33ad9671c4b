import { defaultText, placeholder } from './key-text.ts'
import { type ConfigKey, configKeys } from './keys.ts'
import { shortForms } from './short-forms.ts'

const LEFT = 46
const WIDTH = 120

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Two columns; a left side that is too long gets its own line. */
function row(left: string, right: string): string {
  const lines = wrap(right, WIDTH - LEFT)
  const head = `  ${left}`
  const indent = ' '.repeat(LEFT)
  const [first = '', ...rest] = lines
  const opening = head.length < LEFT - 1 ? head.padEnd(LEFT) + first : `${head}\n${indent}${first}`
  return [opening, ...rest.map((line) => indent + line)].join('\n')
}

function keyRow(key: ConfigKey): string {
  const [flag = '', ...others] = key.flags
  const fallback = defaultText(key)
  const also = others.map((other) => `Also --${other}.`)
  const variables = key.variables.slice(key.flags.length).map((name) => `Variable ${name} too.`)
  const description = [
    key.description,
    ...also,
    ...variables,
    ...(fallback === undefined ? [] : [`(default ${fallback})`]),
  ]
  return row(`--${flag} ${placeholder(key)}`, description.join(' '))
}

/** The text of `--help`: every flag with its default and what it does. */
export function helpText(version: string): string {
  const sections = [...new Set(configKeys.map((key) => (key.path.length > 1 ? (key.path[0] ?? '') : '')))]
  const blocks = sections.map((name) => {
    const keys = configKeys.filter((key) => (key.path.length > 1 ? key.path[0] : '') === name)
    return [name === '' ? 'General' : name, ...keys.map(keyRow)].join('\n')
  })
  return [
    `Firn ${version}: self-hosted wallet backend.`,
    '',
    'Usage: firn [--flag value | --flag=value | --switch] …',
    '',
    'Settings come from defaults, firn.config.json, .env, the environment and flags; later ones override earlier ones. The',
    'variable of --http-port is FIRN_HTTP_PORT, and so on. Lists are comma separated or JSON. Durations',
    'are milliseconds, or carry a unit: 250ms, 30s, 5m, 1h.',
    '',
    'Commands and files',
    row('--config <file>', 'Configuration file. (default firn.config.json, if it exists)'),
    row('--print-config', 'Print the effective configuration as JSON, secrets masked, and where values come from.'),
    row('--help, -h', 'Print this text.'),
    row('--version, -v', 'Print the version.'),
    '',
    'Chains in short (may be repeated)',
    ...shortForms.map((short) => row(`--${short.flag} ${short.placeholder}`, short.description)),
    '',
    blocks.join('\n\n'),
    '',
  ].join('\n')
}

import { closestName } from '../closest-name.ts'
import { keyByFlag } from '../keys.ts'
import { readShortForm, shortForms } from '../short-forms.ts'
import type { Layer } from './layer.ts'
import { isToggleWord } from './parse-text.ts'

export type Action = 'run' | 'help' | 'version' | 'print-config'

export interface Arguments extends Layer {
  action: Action
  /** Path given by `--config`. */
  configFile: string | undefined
}

const ACTIONS: Readonly<Record<string, Action>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
  '--print-config': 'print-config',
}

const shortFormByFlag = new Map(shortForms.map((short) => [short.flag as string, short]))
const allFlags = [...keyByFlag.keys(), ...shortFormByFlag.keys(), 'config', 'help', 'version', 'print-config']

/** Splits `--flag=value`; a separate value is taken from the next argument by the caller. */
function split(argument: string): { flag: string; inline: string | undefined } {
  const equals = argument.indexOf('=')
  return equals < 0
    ? { flag: argument.slice(2), inline: undefined }
    : { flag: argument.slice(2, equals), inline: argument.slice(equals + 1) }
}

function unknownFlag(flag: string): string {
  const near = closestName(flag, allFlags)
  return `--${flag}: unknown flag; ${near === undefined ? 'see --help' : `did you mean --${near}?`}`
}

/** The argument is not shown: it may be a second token after a blank, or half of an unquoted password. */
function unexpected(argv: readonly string[], index: number): string {
  const flag = argv.slice(0, index).findLast((argument) => argument.startsWith('--'))
  const place = flag === undefined ? '' : `, behind --${split(flag).flag}`
  return `argument ${index + 1}${place}: unexpected; settings are given as --flag value`
}

/** Reads `--flag value`, `--flag=value` and bare `--flag` for switches. Never throws; problems are collected. */
export function readArguments(argv: readonly string[]): Arguments {
  const result: Arguments = { action: 'run', configFile: undefined, entries: [], uses: [], problems: [] }
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? ''
    const action = Object.hasOwn(ACTIONS, argument) ? ACTIONS[argument] : undefined
    if (action !== undefined) {
      // Help takes precedence over everything else.
      if (result.action !== 'help') result.action = action
    } else if (!argument.startsWith('--') || argument === '--') {
      result.problems.push(unexpected(argv, index))
    } else {
      const { flag, inline } = split(argument)
      const used = readFlag(result, flag, inline, argv[index + 1])
      if (used) index++
    }
  }
  return result
}

/** Handles one flag; true when it took the next argument as its value. */
function readFlag(into: Arguments, flag: string, inline: string | undefined, next: string | undefined): boolean {
  const key = keyByFlag.get(flag)
  const short = shortFormByFlag.get(flag)
  if (key === undefined && short === undefined && flag !== 'config') {
    into.problems.push(unknownFlag(flag))
    // The value of a misspelt flag is not a separate argument.
    return inline === undefined && next !== undefined && !next.startsWith('-')
  }
  const takesNext =
    inline === undefined && next !== undefined && (key?.kind === 'toggle' ? isToggleWord(next) : !next.startsWith('--'))
  const text = inline ?? (takesNext ? next : key?.kind === 'toggle' ? 'true' : undefined)
  const origin = `flag --${flag}`
  // `--config "$FILE"` with an unset FILE names no file.
  if (text === undefined || (flag === 'config' && text === '')) into.problems.push(`--${flag}: needs a value`)
  else if (key !== undefined) into.entries.push({ key, text, origin })
  else if (short === undefined) into.configFile = text
  else {
    const uses = readShortForm(short, text, origin)
    // `--avalanche-mainnet-node "$NODE"` with an unset NODE would serve from public nodes.
    if (uses.length === 0) into.problems.push(`--${flag}: needs a value`)
    into.uses.push(...uses)
  }
  return takesNext
}

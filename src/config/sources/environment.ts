import { closestName } from '../closest-name.ts'
import { keyByVariable } from '../keys.ts'
import { readShortForm, shortForms } from '../short-forms.ts'
import type { Entry, Layer } from './layer.ts'

const PREFIX = 'FIRN_'
const CONFIG_FILE = 'FIRN_CONFIG'

const shortFormByVariable = new Map(shortForms.map((short) => [short.variable, short]))
const allVariables = [...keyByVariable.keys(), ...shortFormByVariable.keys(), CONFIG_FILE]

/** Kubernetes and docker links set variables of their own for a service named "firn". */
function isServiceLink(name: string, value: string): boolean {
  return /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP)(_\w+)?$/.test(name) || /^(tcp|udp):\/\//.test(value)
}

/** Whether a name is meant for this program, even if misspelt. */
export const isOwnVariable = (name: string): boolean =>
  name.startsWith(PREFIX) || allVariables.includes(name.replace(/_FILE$/, ''))

/** Variables of the process, or of `.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

export interface Environment extends Layer {
  configFile: { path: string; origin: string } | undefined
}

/**
 * Reads Firn's variables; `.env` fills in what the real environment leaves out. An empty variable counts as not set,
 * since compose files pass unset ones on as empty.
 */
export function readEnvironment(env: Variables, dotenv: Variables): Environment {
  const result: Environment = { entries: [], uses: [], problems: [], configFile: undefined }
  const names = new Set([...Object.keys(dotenv), ...Object.keys(env)].sort())
  // If the real environment sets a key under any of its names, `.env` cannot set it under another one.
  const settled = new Set([...names].flatMap((name) => (env[name] ? (keyByVariable.get(name) ?? []) : [])))
  for (const name of names) {
    const key = keyByVariable.get(name)
    const real = env[name]
    if (real) readVariable(result, name, real, name)
    else if (dotenv[name] && !(key && settled.has(key))) readVariable(result, name, dotenv[name], `${name} in .env`)
  }
  return result
}

function readVariable(into: Environment, name: string, text: string, origin: string): void {
  const key = keyByVariable.get(name)
  const short = shortFormByVariable.get(name)
  if (key !== undefined) addEntry(into, { key, text, origin })
  else if (short !== undefined) into.uses.push(...readShortForm(short, text, origin))
  else if (name === CONFIG_FILE) into.configFile = { path: text, origin }
  else if (name.startsWith(PREFIX) && !isServiceLink(name, text)) {
    const near = closestName(name, allVariables)
    const hint = near === undefined ? 'see --help' : `did you mean ${near}?`
    into.problems.push(`${origin}: unknown variable; ${hint}`)
  }
}

/** Two names of one key: a list given by both is no longer for it, and of different values it is unclear which counts. */
function addEntry({ entries, problems }: Environment, entry: Entry): void {
  const other = entries.find(({ key }) => key === entry.key)
  if (other === undefined) entries.push(entry)
  else if (other.text !== entry.text)
    problems.push(`${entry.key.name}: given twice with different values, by ${other.origin} and ${entry.origin}`)
}

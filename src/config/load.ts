import { join, resolve } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { ConfigError } from '../errors.ts'
import { packageVersion } from '../lib/package-version.ts'
import { applyShortForms } from './apply-short-forms.ts'
import { builtIn, fill } from './defaults.ts'
import { maskProblems } from './given-masks.ts'
import { helpText } from './help.ts'
import { maskBySchema } from './mask-config.ts'
import { forgetOtherCoins } from './own-coins.ts'
import { askOwnNetworks, serveOwnNetwork } from './own-networks.ts'
import { removalProblems } from './removals.ts'
import { ruleProblems } from './rules/rules.ts'
import { type Config, ConfigSchema } from './schema.ts'
import { type Arguments, readArguments } from './sources/arguments.ts'
import { parseConfigFile, type ReadFile, readOr, readTextFile } from './sources/config-file.ts'
import { readDotenv } from './sources/dotenv.ts'
import { type Environment, readEnvironment } from './sources/environment.ts'
import { applyEntries } from './sources/layer.ts'
import { parseText } from './sources/parse-text.ts'
import { readSecretFiles } from './sources/secret-files.ts'
import { isTree, merge, type Origins, type Tree, valueAt } from './tree.ts'
import { schemaProblems } from './validate.ts'

export interface ConfigSources {
  /** Arguments after the program's name. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Folder of `.env` and `firn.config.json`; relative `--config` paths start there. */
  cwd: string
  readFile?: ReadFile
}

export type LoadedConfig =
  | { action: 'run'; config: Config }
  /** Print `text` to standard output and exit with status 0. */
  | { action: 'help' | 'version'; text: string }
  | { action: 'print-config'; text: string; config: Config }

const DEFAULT_FILE = 'firn.config.json'
const CATALOGUE = 'chains.catalogue'

function readFileLayer(
  sources: Required<ConfigSources>,
  args: Arguments,
  environment: Environment,
  problems: string[],
) {
  const named = args.configFile ?? environment.configFile?.path
  const shown = named ?? DEFAULT_FILE
  const before = problems.length
  const text = readOr(sources.readFile, resolve(sources.cwd, shown), problems)
  if (text === undefined) {
    const origin = args.configFile === undefined ? environment.configFile?.origin : 'flag --config'
    if (named !== undefined && problems.length === before) problems.push(`${shown}: no such file (${origin})`)
    return { origin: shown, tree: {} }
  }
  return { origin: shown, tree: parseConfigFile(shown, text, problems) }
}

/** Whether to start from the catalogue; needed before anything is merged over it. */
function wantsCatalogue(file: Tree, layers: readonly (Arguments | Environment)[]): boolean {
  const given = layers.flatMap(({ entries }) => entries.filter(({ key }) => key.name === CATALOGUE))
  const last = given.at(-1)
  return (last === undefined ? valueAt(file, CATALOGUE.split('.')) : parseText(last.key, last.text)) !== false
}

function finish(tree: Tree, origins: Origins, problems: readonly string[]): Config {
  const given = serveOwnNetwork(forgetOtherCoins(askOwnNetworks(tree, origins), origins), origins)
  const complete = fill(ConfigSchema, given)
  const wrong = [...problems, ...schemaProblems(complete as Tree, origins), ...maskProblems(complete as Tree, origins)]
  if (wrong.length > 0 || !Value.Check(ConfigSchema, complete)) throw new ConfigError(wrong)
  const broken = ruleProblems(complete)
  if (broken.length > 0) throw new ConfigError(broken)
  return deepFreeze(complete)
}

function printed(config: Config, origins: Origins): string {
  // Built-in values are not secret, and with masks in their place the text would not be a configuration.
  const masked = maskBySchema(ConfigSchema, config, fill(ConfigSchema, builtIn(true))) as Tree
  const whole = withNulls(masked, builtIn(config.chains.catalogue))
  const sources = Object.fromEntries([...origins].filter(([path]) => !hasInner(origins, path)))
  return `${JSON.stringify({ ...whole, $sources: sources }, undefined, 2)}\n`
}

/** Adds `null` for removed built-in entries: otherwise the text, used as a file, would bring them back. */
function withNulls(shown: Tree, base: Tree): Tree {
  const entries = Object.entries(base).map(([key, before]): [string, unknown] => {
    const value = Object.hasOwn(shown, key) ? shown[key] : null
    return [key, isTree(value) && isTree(before) ? withNulls(value, before) : value]
  })
  return { ...shown, ...Object.fromEntries(entries) }
}

/** Only the innermost paths are useful: `http.port` says more than `http`. */
const hasInner = (origins: Origins, path: string) => [...origins.keys()].some((other) => other.startsWith(`${path}.`))

/**
 * Reads all sources and returns the frozen configuration, or the text to print instead of running. Later sources win:
 * defaults and catalogue, configuration file, `.env`, environment, flags.
 *
 * @throws ConfigError with one line per problem: which key, what was given and by which source, what is allowed
 */
export function loadConfig(given: ConfigSources): LoadedConfig {
  const sources = { readFile: readTextFile, ...given }
  const args = readArguments(sources.argv)
  if (args.action === 'version') return { action: 'version', text: `${packageVersion()}\n` }
  if (args.action === 'help') return { action: 'help', text: helpText(packageVersion()) }

  const problems: string[] = [...args.problems]
  const dotenvFile = join(sources.cwd, '.env')
  const dotenv = readDotenv(dotenvFile, readOr(sources.readFile, dotenvFile, problems) ?? '', problems)
  const real = readSecretFiles(sources.env, sources.readFile, problems)
  const environment = readEnvironment(real, readSecretFiles(dotenv, sources.readFile, problems, real))
  problems.push(...environment.problems)
  const file = readFileLayer(sources, args, environment, problems)
  const origins: Origins = new Map()
  const base = builtIn(wantsCatalogue(file.tree, [environment, args]))
  problems.push(...removalProblems(base, file.tree, file.origin, origins))
  let tree = merge(base, file.tree, file.origin, origins) as Tree
  const layers: readonly (Arguments | Environment)[] = [environment, args]
  for (const [at, layer] of layers.entries()) {
    tree = applyEntries(tree, layer.entries, origins, problems)
    const later = layers.slice(at + 1).flatMap(({ entries }) => entries)
    const foresee = (known: Tree): Tree => applyEntries(known, later, new Map(), [])
    tree = applyShortForms(tree, layer.uses, { origins, problems, foresee })
  }
  const config = finish(tree, origins, problems)
  return args.action === 'print-config'
    ? { action: 'print-config', text: printed(config, origins), config }
    : { action: 'run', config }
}

/** Everything optional, at every level. */
export type Partially<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: Partially<T[K]> | null }
    : T

/**
 * A frozen configuration from code, for embedding and tests: `over` is merged over the defaults like a file.
 *
 * @throws ConfigError as loadConfig does
 */
export function createConfig(over: Partially<Config> = {}): Config {
  const origins: Origins = new Map()
  const base = builtIn(over.chains?.catalogue !== false)
  return finish(merge(base, over, 'createConfig', origins) as Tree, origins, [])
}

/** Freezes a tree of plain objects and arrays in place; a later write then fails loudly instead of leaking. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const child of Object.values(value)) deepFreeze(child)
  }
  return value
}

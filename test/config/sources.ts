import { join } from 'node:path'
import { type Config, type LoadedConfig, loadConfig } from '../../src/config/index.ts'
import { ConfigError } from '../../src/errors.ts'

const CWD = '/somewhere'

export interface Given {
  argv?: string[]
  env?: Record<string, string>
  /** Content of `.env`. */
  dotenv?: string
  /** Content of `firn.config.json`: an object is written as JSON. */
  file?: unknown
  /** Other files by their path under the working directory. */
  files?: Record<string, string>
}

/** Loads from sources held in memory; nothing of the real environment or disk is read. */
export function load({ argv = [], env = {}, dotenv, file, files = {} }: Given = {}): LoadedConfig {
  const texts = new Map(Object.entries(files).map(([path, text]) => [join(CWD, path), text]))
  if (dotenv !== undefined) texts.set(join(CWD, '.env'), dotenv)
  if (file !== undefined)
    texts.set(join(CWD, 'firn.config.json'), typeof file === 'string' ? file : JSON.stringify(file))
  return loadConfig({ argv, env, cwd: CWD, readFile: (path) => texts.get(path) })
}

export function configOf(given: Given = {}): Config {
  const loaded = load(given)
  if (!('config' in loaded)) throw new Error(`no configuration: ${loaded.action}`)
  return loaded.config
}

export function textOf(given: Given): string {
  const loaded = load(given)
  if (!('text' in loaded)) throw new Error(`no text: ${loaded.action}`)
  return loaded.text
}

/** The lines that stop the start; empty when nothing is wrong. */
export function problemsOf(given: Given): readonly string[] {
  try {
    load(given)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

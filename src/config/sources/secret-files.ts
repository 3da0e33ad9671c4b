import { MASK } from '../../lib/mask.ts'
import { keyByVariable } from '../keys.ts'
import { shortForms } from '../short-forms.ts'
import { type ReadFile, readOr } from './config-file.ts'
import type { Variables } from './environment.ts'

const SUFFIX = '_FILE'

/** Including short forms, since URLs of nodes contain keys. */
const VARIABLES = new Set([...keyByVariable.keys(), ...shortForms.map(({ variable }) => variable)])

/**
 * `<VARIABLE>_FILE` names a file with the value of VARIABLE, as container platforms provide secrets: the value is then
 * in no process list and in no inspection of a container. White space at the end of the file is not part of it.
 *
 * @param stronger variables of a source that wins: files of those are not read
 */
export function readSecretFiles(
  env: Variables,
  readFile: ReadFile,
  problems: string[],
  stronger: Variables = {},
): Variables {
  const result: Record<string, string | undefined> = { ...env }
  for (const [name, path] of Object.entries(env)) {
    const variable = name.slice(0, -SUFFIX.length)
    // Some keys are named `…File` themselves and keep their meaning.
    if (!name.endsWith(SUFFIX) || VARIABLES.has(name) || !VARIABLES.has(variable)) continue
    delete result[name]
    if (path === undefined || path === '' || stronger[variable]) continue
    if (env[variable] !== undefined && env[variable] !== '') {
      problems.push(`${variable}: given twice, by ${variable} and ${name}`)
      continue
    }
    const before = problems.length
    // If the value itself was given, it is not a path.
    const shown = /^\.{0,2}\//.test(path) ? path : MASK
    const text = readOr(readFile, path, problems, shown)?.trimEnd()
    if (text === undefined && problems.length === before) problems.push(`${shown}: no such file (${name})`)
    // The secret was not filled in yet: an empty variable would mean none, and another database would be used.
    if (text === '')
      problems.push(`${variable}: missing; needed: a value in the file that ${name} names, which is empty`)
    result[variable] = text
  }
  return result
}

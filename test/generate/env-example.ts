import { allowedBy } from '../../src/config/allowed.ts'
import { defaultText } from '../../src/config/key-text.ts'
import { configKeys } from '../../src/config/keys.ts'
import { shortForms } from '../../src/config/short-forms.ts'

const HEAD = [
  '# Copy to .env and uncomment what you want to change. The real environment wins over this file, flags over both.',
  '# Each line shows the default; nothing here needs to be set. Lists are comma separated, durations are milliseconds',
  '# or carry a unit (30s). docs/configuration.md explains everything.',
  '',
  '# Configuration file, relative to the working directory. This one is read without this line, too, where it is there; a named one has to be.',
  '#FIRN_CONFIG=firn.config.json',
  '',
]

/** The example of an environment file: every variable, commented out. */
export function envExample(): string {
  const short = shortForms.flatMap(({ description, variable, placeholder }) => [
    `# ${description} ${placeholder}`,
    `#${variable}=`,
    '',
  ])
  const keys = configKeys.flatMap((key) => {
    const fallback = defaultText(key)
    const value = fallback === undefined || (key.path[0] === 'chains' && key.kind === 'json') ? '' : fallback
    return [`# ${key.description} (${allowedBy(key.schema)})`, `#${key.variables[0]}=${value}`, '']
  })
  return [...HEAD, ...short, ...keys].join('\n')
}

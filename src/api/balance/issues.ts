import { type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'

/** One reason why a body is refused; `path` leads to the value, as keys and indexes. */
export interface Issue {
  code: string
  path: (string | number)[]
  message: string
}

/** More would only repeat the same mistake: a body may hold 250,000 addresses. */
export const MAX_ISSUES = 20

export const issue = (path: Issue['path'], code: string, message: string): Issue => ({ code, path, message })

export const NO_OBJECT = issue([], 'invalid_type', 'body must be a JSON object')

/** TypeBox reports a missing member twice (missing, then wrong type): the first one per path is enough. */
export function collect(errors: Iterable<ValueError>, prefix: Issue['path']): Issue[] {
  const issues: Issue[] = []
  const seen = new Set<string>()
  for (const error of errors) {
    if (seen.has(error.path)) continue
    seen.add(error.path)
    const tail = error.path
      .split('/')
      .slice(1)
      .map((key) => (/^\d{1,6}$/.test(key) ? Number(key) : key.replaceAll('~1', '/').replaceAll('~0', '~')))
    issues.push(issue([...prefix, ...tail], codeOf(error), messageOf(error)))
    if (issues.length === MAX_ISSUES) break
  }
  return issues
}

function codeOf(error: ValueError): string {
  switch (error.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'missing'
    case ValueErrorType.ArrayMinItems:
    case ValueErrorType.ArrayMaxItems:
    case ValueErrorType.StringMinLength:
    case ValueErrorType.StringMaxLength:
      return 'invalid_size'
    case ValueErrorType.StringPattern:
      return 'invalid_format'
    case ValueErrorType.Union:
    case ValueErrorType.Literal:
      return 'invalid_value'
    default:
      return 'invalid_type'
  }
}

function messageOf(error: ValueError): string {
  const schema = error.schema as Record<string, unknown>
  switch (error.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'is required'
    case ValueErrorType.ArrayMinItems:
      return `must hold at least ${schema['minItems']} item${schema['minItems'] === 1 ? '' : 's'}`
    case ValueErrorType.ArrayMaxItems:
      return `must hold at most ${schema['maxItems']} items, got ${(error.value as unknown[]).length}`
    case ValueErrorType.StringMinLength:
      return 'must not be empty'
    case ValueErrorType.StringMaxLength:
      return `must have at most ${schema['maxLength']} characters`
    case ValueErrorType.StringPattern:
      return `must match ${schema['pattern']}`
    case ValueErrorType.Union: {
      const options = (schema['anyOf'] as { const?: unknown }[]).map((option) => String(option.const))
      return `must be one of: ${options.join(', ')}`
    }
    default:
      return error.message.replace(/^Expected/, 'must be')
  }
}

import { isRecord } from './json-record.ts'

/** Members that hold values, not schemas: nothing in them is a schema, even if it looks like one. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples'])
const PLACE = '#/components/schemas/'

/**
 * Moves every schema with a title to `components.schemas` of the OpenAPI document and puts a `$ref` in its place: only
 * such schemas get a name in generated clients. The given document is not changed.
 * @throws Error when two different schemas have the same title
 */
export function nameSchemas<T extends object>(document: T): T {
  const named = new Map<string, unknown>()

  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(walk)
    if (!isRecord(value)) return value
    const copy: Record<string, unknown> = Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, VALUES.has(key) ? member : walk(member)]),
    )
    const { title, ...schema } = copy
    return typeof title === 'string' && isSchema(schema) ? name(title, schema) : copy
  }

  function name(title: string, schema: object): object {
    const known = named.get(title)
    if (known === undefined) named.set(title, schema)
    else if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas are called ${title}`)
    return { $ref: `${PLACE}${title}` }
  }

  const { paths, components, ...head } = document as { paths?: unknown; components?: unknown }
  const written = walk(paths)
  const schemas = Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...head, components: { ...(isRecord(components) ? components : {}), schemas }, paths: written } as T
}

const isSchema = (value: object): boolean => 'type' in value || 'anyOf' in value || 'oneOf' in value || 'allOf' in value

import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { itemsOf } from '../support/balances/balance-api.ts'
import { isRecord, type JsonSchema } from './json-schema.ts'

/** One answer as it came over the wire. */
export interface Answer {
  status: number
  headers: Headers
  body: string
}

export interface Operation {
  id: string
  method: string
  path: string
  /** Declared statuses, ascending. */
  statuses: readonly number[]
  /** Schema of the JSON body; undefined where none is taken. */
  bodySchema: JsonSchema | undefined
  /** What readers may send as it is. */
  bodyExample: unknown
}

export interface ApiDocument {
  name: string
  operations: readonly Operation[]
  operation(id: string): Operation
  /** Throws an error that says what in the answer the document does not allow. */
  check(operationId: string, answer: Answer): void
  /** Items of an event stream or the JSON body, after `check`. */
  read(operationId: string, answer: Answer): unknown[]
}

interface WrittenOperation {
  operationId: string
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

export const readAnswer = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: response.headers,
  body: await response.text(),
})

const mediaTypeOf = (answer: Answer): string => (answer.headers.get('content-type') ?? '').split(';', 1)[0] as string
const pointer = (...steps: string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

/** The schema with those that it only names written out: what makes up bodies follows no references. */
function inline<T>(document: object, schema: T): T {
  if (Array.isArray(schema)) return schema.map((part) => inline(document, part)) as T
  if (!isRecord(schema)) return schema
  const { $ref } = schema
  if (typeof $ref !== 'string') {
    return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, inline(document, part)])) as T
  }
  const steps = $ref.slice(2).split('/')
  const named = steps.reduce<unknown>((place, step) => (isRecord(place) ? place[step] : undefined), document)
  if (named === undefined) throw new Error(`nothing is at ${$ref}`)
  return inline(document, named as T)
}

/** The committed `openapi/<name>.json`, ready to judge answers. Nothing is asked of a running server. */
export function readDocument(name: string): ApiDocument {
  const file = new URL(`../../openapi/${name}.json`, import.meta.url)
  const written = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, Record<string, WrittenOperation>> }
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, validateFormats: false })
  // OpenAPI's own, for generators.
  ajv.addKeyword('discriminator')
  // The document is no schema itself, it only holds them: its own members would be unknown keywords.
  ajv.addVocabulary(Object.keys(written))
  ajv.addSchema({ ...written, $id: name })
  const raw = new Map<string, WrittenOperation>()
  const operations = Object.entries(written.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      raw.set(operation.operationId, operation)
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        statuses: Object.keys(operation.responses).map(Number),
        bodySchema: inline(written, operation.requestBody?.content['application/json']?.schema),
        bodyExample: operation.requestBody?.content['application/json']?.example,
      }
    }),
  )

  const operation = (id: string): Operation => {
    const found = operations.find((one) => one.id === id)
    if (!found) throw new Error(`openapi/${name}.json has no operation ${id}`)
    return found
  }

  function validatorOf({ id, method, path }: Operation, answer: Answer): ValidateFunction {
    const declared = raw.get(id)?.responses[String(answer.status)]
    if (!declared) throw new Error(`${id}: status ${answer.status} is not declared; body: ${answer.body.slice(0, 500)}`)
    const mediaType = mediaTypeOf(answer)
    if (!declared.content?.[mediaType]) throw new Error(`${id} ${answer.status}: ${mediaType} is not declared`)
    const place = ['paths', path, method.toLowerCase(), 'responses', String(answer.status), 'content', mediaType]
    const validate = ajv.getSchema(`${name}#${pointer(...place, 'schema')}`)
    if (!validate) throw new Error(`${id} ${answer.status}: ${mediaType} has no schema`)
    return validate as ValidateFunction
  }

  function read(id: string, answer: Answer): unknown[] {
    const validate = validatorOf(operation(id), answer)
    const values =
      mediaTypeOf(answer) === 'text/event-stream' ? itemsOf(answer.body) : [JSON.parse(answer.body) as unknown]
    for (const value of values) {
      if (validate(value)) continue
      throw new Error(`${id} ${answer.status}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`)
    }
    return values
  }

  return { name, operations, operation, read, check: (id, answer) => void read(id, answer) }
}

import { eachElement, kindOf } from '../../json/spans.ts'

/**
 * Why geth refuses the parameters of `eth_unsubscribe` (its text, code -32602); undefined = they are one id. Null counts
 * as the empty id.
 */
export function unsubscribeProblem(params: Buffer | undefined): string | undefined {
  const kind = params === undefined ? 'null' : kindOf(params, 0)
  if (params === undefined || kind === 'null') return 'missing value for required argument 0'
  if (kind !== 'array') return 'non-array args'
  let count = 0
  let problem: string | undefined
  eachElement(params, 0, (from) => {
    const type = kindOf(params, from)
    if (count > 0) problem = 'too many arguments, want at most 1'
    else if (type !== 'string' && type !== 'null')
      problem = `invalid argument 0: json: cannot unmarshal ${type} into Go value of type rpc.ID`
    count += 1
    return problem === undefined
  })
  return count === 0 ? 'missing value for required argument 0' : problem
}

import { type IncomingMessage, request } from 'node:http'

/** What a client does with its stream: most read it, some leave, some stop reading and leave later. */
export type Manner = 'reads' | 'leaves at once' | 'leaves after the first item' | 'stalls'

export interface Visit {
  manner: Manner
  /** How the server's answer looked to a client that read it all. */
  outcome: 'whole' | 'left' | 'refused' | 'broken'
  items: number
}

const MANNERS: readonly Manner[] = [
  'reads',
  'reads',
  'reads',
  'reads',
  'reads',
  'reads',
  'leaves at once',
  'leaves after the first item',
  'leaves after the first item',
  'stalls',
]

/** The manner of the n-th visit: every ten of them are the same mix. */
export const mannerOf = (visit: number): Manner => MANNERS[visit % MANNERS.length] as Manner

/** Milliseconds after which those leave who leave before anything came, or stopped reading. */
const IMPATIENCE = { 'leaves at once': 15, stalls: 2_500 }

/** One POST on a connection of its own, as a phone that comes and goes. */
export function visit(port: number, body: string, manner: Manner): Promise<Visit> {
  return new Promise((resolve) => {
    let items = 0
    let left = false
    let begun: IncomingMessage | undefined
    const done = (outcome: Visit['outcome']): void => resolve({ manner, outcome: left ? 'left' : outcome, items })
    const outcomeOf = (answer: IncomingMessage): Visit['outcome'] =>
      answer.complete ? (answer.statusCode === 200 ? 'whole' : 'refused') : 'broken'
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path: '/v1/balance/get-balances',
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (answer) => {
        answer.on('error', () => done('broken'))
        answer.on('close', () => done(outcomeOf(answer)))
        begun = answer
        if (manner === 'stalls') return void answer.pause()
        answer.setEncoding('utf8')
        answer.on('data', (text: string) => {
          items += text.split('data: ').length - 1
          if (manner === 'leaves after the first item' && items > 0) leave()
        })
      },
    )
    const leave = (): void => {
      left = true
      asked.destroy()
    }
    asked.on('error', () => done('broken'))
    // Who stalls may have got the whole answer into his system's buffers; nobody reads it from there.
    asked.on('close', () => done(begun ? outcomeOf(begun) : 'broken'))
    if (manner === 'leaves at once' || manner === 'stalls') setTimeout(leave, IMPATIENCE[manner])
    asked.end(body)
  })
}

/** One line of what Prometheus reads. */
export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/

const labelsIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]))

/** Reads `/metrics` of a server. */
export async function scrape(url: string): Promise<Sample[]> {
  const answer = await fetch(`${url}/metrics`)
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`)
  const text = await answer.text()
  return text.split('\n').flatMap((line) => {
    const parts = line.startsWith('#') ? null : LINE.exec(line)
    if (!parts) return []
    const [, name = '', labels = '', value] = parts
    return [{ name, labels: labelsIn(labels), value: Number(value) }]
  })
}

/** Sum of all samples of a name whose labels are at least these. */
export const sumOf = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number =>
  samples
    .filter((one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)

/**
 * The answer of a node that says by which block it has what it shows; where none does that answers, of one that does not.
 * @param ask asks the nodes, last those that are in `unsure`
 * @param isSure false = the node does not say, as one that is gone since
 * @param unsure hosts that did not say; filled here
 * @throws what the first `ask` throws
 */
export async function surest<A extends { host: string }>(
  ask: () => Promise<A>,
  isSure: (answer: A) => Promise<boolean>,
  unsure: Set<string>,
): Promise<A> {
  let answer = await ask()
  while (!(await isSure(answer)) && !unsure.has(answer.host)) {
    unsure.add(answer.host)
    answer = await ask().catch(() => answer)
  }
  return answer
}

/**
 * Blocks of mainnet's C-chain with imports that spend outputs which an earlier block had already spent, or a later one
 * still will. By a rule of the network they do not change shared memory. Offsets from the first.
 */
const FIRST = 102_972
const OFFSETS = [
  0, 133, 171, 211, 225, 231, 236, 237, 287, 289, 294, 315, 367, 374, 378, 386, 465, 500, 506, 521, 542, 564, 573, 575,
  582, 583, 587, 589, 591, 592, 597, 598, 603, 605, 606, 610, 615, 618, 619, 622, 625, 626, 631, 632, 635, 640, 642,
  645, 646, 649, 651, 652, 655, 656, 657, 658, 661,
]
const HEIGHTS: ReadonlySet<number> = new Set(OFFSETS.map((offset) => FIRST + offset))

export function repeatsImports(networkId: number, height: bigint): boolean {
  return networkId === 1 && HEIGHTS.has(Number(height))
}

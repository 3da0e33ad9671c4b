// Runs a list of read-only calls inside one eth_call, each with its own gas cap and a cap on the bytes it may return.
// It runs as init code or as overridden code, like the balance reader, and has the same head.
//
// Arguments, packed after the code:
//   u16 calls | u24 largest answer, bytes | u16 bytes kept of one return | u32 gas for one call
//   calls: u8 length of the call data | 20 target | call data
// Answer, packed:
//   u8 version = 1 | u64 block number | u64 fingerprint of the block | u64 chain id | u16 calls done | a record per
// call
//   record: u16 length, or 0xFFFF when the call failed or the target has no code | bytes, cut at the cap
object "CallReader" {
  code {
    let args := datasize("CallReader")
    let size := sub(codesize(), args)
    codecopy(0x80, args, size)
    let head := mload(0x80)
    let calls := shr(240, head)
    let keep := and(shr(200, head), 0xffff)
    let cap := and(shr(168, head), 0xffffffff)
    let reserve := add(add(cap, div(cap, 32)), 60000)
    let out := add(0x80, size)
    let limit := add(out, and(shr(216, head), 0xffffff))
    let p := add(out, 27)

    let height := number()
    mstore(0, shl(224, 0xa3b1b31d))
    if staticcall(20000, 0x64, 0, 4, 0x40, 32) {
      if eq(returndatasize(), 32) { height := mload(0x40) }
    }

    let call_ := 0x8b
    let i := 0
    for { } lt(i, calls) { i := add(i, 1) } {
      // Creation charges 200 gas a byte, or 1,530 with state pricing (EIP-8037); memory 3 gas a word.
      if lt(gas(), add(reserve, mul(add(sub(p, out), keep), 1531))) { break }
      if gt(add(add(p, 2), keep), limit) { break }
      let word := mload(call_)
      let length := shr(248, word)
      let target := and(shr(88, word), 0xffffffffffffffffffffffffffffffffffffffff)
      let data := add(call_, 21)
      call_ := add(data, length)
      let kept := 0xffff
      if extcodesize(target) {
        if staticcall(cap, target, data, length, 0, 0) {
          kept := returndatasize()
          if gt(kept, keep) { kept := keep }
          returndatacopy(add(p, 2), 0, kept)
        }
      }
      mstore8(p, shr(8, kept))
      mstore8(add(p, 1), kept)
      p := add(p, 2)
      if lt(kept, 0xffff) { p := add(p, kept) }
    }

    let mask := 0xffffffffffffffff
    let print := and(xor(blockhash(sub(number(), 1)), timestamp()), mask)
    let first := mload(add(out, 27))
    mstore(out, or(or(shl(248, 1), shl(184, and(height, mask))), or(shl(120, print), or(shl(56, and(chainid(), mask)), shl(40, i)))))
    mstore(add(out, 27), first)
    return(out, sub(p, out))
  }
}

// Reads every balance of many owners in many tokens inside one eth_call. It runs as init code: eth_call answers what
// init code RETURNs, so the chain needs no helper contract. The same bytes also run as overridden code.
// Opcodes up to Istanbul only: older chains must run it too.
//
// Arguments, packed after the code:
//   u8 owners | u16 tokens | u24 largest answer, bytes | u32 gas for one balanceOf | owners x 20 | tokens x 20
//   Token 0x0 is the native coin.
// Answer, packed (first byte must not be 0xEF, EIP-3541):
//   u8 version = 1 | u64 block number | u64 fingerprint of the block | u64 chain id | u16 tokens done | records
//   record of one token, left out when it has no entries: u16 token | u8 entries | entries
//   entry: u8 owner | u8 length | value, big-endian, without leading zeros. Zero balances have no entry.
//   length 0xFF: balanceOf failed for this owner. 0xFE: it burnt its gas for this owner, and later ones were not asked.
//   0xFD: it failed for this owner and every later one (no code).
//   For a held token, after the owners: owner 0xFE is its decimals(), one byte; no such entry = it gives no number
//   up to 255. Owner 0xFF is its uiMultiplier() (ERC-8056). Length 0xFF: its supportsInterface (ERC-165) claims one,
//   but it is not a usable number. No such entry = it has none.
// It stops at a token's boundary before gas or room run out: the caller continues from `tokens done`.
object "BalanceReader" {
  code {
    let args := datasize("BalanceReader")
    let size := sub(codesize(), args)
    codecopy(0x80, args, size)
    let head := mload(0x80)
    let owners := shr(248, head)
    let tokens := and(shr(232, head), 0xffff)
    let cap := and(shr(176, head), 0xffffffff)
    // A call gets at most 63/64 of what is left; the rest pays for this loop and the last words.
    let reserve := add(add(cap, div(cap, 32)), 60000)
    let ownerList := 0x8a
    let tokenList := add(ownerList, mul(owners, 20))
    let out := add(0x80, size)
    let limit := add(out, and(shr(208, head), 0xffffff))
    let p := add(out, 27)

    // On Arbitrum chains NUMBER is the parent chain's height; their system contract at 0x64 knows their own.
    let height := number()
    mstore(0, shl(224, 0xa3b1b31d))
    if staticcall(20000, 0x64, 0, 4, 0x40, 32) {
      if eq(returndatasize(), 32) { height := mload(0x40) }
    }

    let t := 0
    for { } lt(t, tokens) { t := add(t, 1) } {
      let token := shr(96, mload(add(tokenList, mul(t, 20))))
      let entry := add(p, 3)
      let count := 0
      let halted := 0
      let held := 0
      let live := 1
      if token { live := extcodesize(token) }
      mstore(0, shl(224, 0x70a08231))
      // One more turn for the decimals, and one for the multiplier.
      for { let a := 0 } lt(a, add(owners, held)) { a := add(a, 1) } {
        // Creation charges 200 gas for a byte of the answer, or 1,530 with state pricing (EIP-8037).
        if or(lt(gas(), add(reserve, mul(sub(entry, out), 1530))), gt(add(entry, 34), limit)) {
          halted := 1
          break
        }
        if iszero(live) {
          mstore(entry, shl(232, 0x00fd00))
          entry := add(entry, 2)
          count := 1
          break
        }
        let value := 0
        switch sub(a, owners)
        case 0 {
          mstore(0, shl(224, 0x313ce567))
          // Decimals never cost more than balances; a third limits the cost of tokens that burn their gas.
          if staticcall(div(cap, 3), token, 0, 4, 0x40, 32) {
            if and(gt(returndatasize(), 31), lt(mload(0x40), 256)) {
              mstore(entry, or(shl(240, 0xfe01), shl(232, mload(0x40))))
              entry := add(entry, 3)
              count := add(count, 1)
            }
          }
          continue
        }
        case 1 {
          // supportsInterface(uiMultiplier): the id of the interface is the selector of its only function.
          mstore(0, 0x01ffc9a7)
          mstore(0x20, shl(224, 0xa60bf13d))
          let data := 0x20
          let length := 4
          for { let step := 0 } lt(step, 3) { step := add(step, 1) } {
            let ok := staticcall(30000, token, data, length, 0x40, 32)
            let word := mul(mload(0x40), and(ok, gt(returndatasize(), 31)))
            data := 0x1c
            length := 36
            switch step
            case 0 {
              // A value far from any real multiplier is not one: a contract may answer anything to any call.
              if lt(sub(word, 1000000000), 1000000000000000000000000000) {
                value := word
                break
              }
            }
            case 1 {
              if iszero(eq(word, 1)) { break }
              mstore(0x20, shl(224, 0xffffffff))
            }
            default {
              // A contract that claims every interface proves nothing.
              if word { break }
              mstore(entry, shl(240, 0xffff))
              entry := add(entry, 2)
              count := add(count, 1)
            }
          }
          if iszero(value) { break }
        }
        default {
          let owner := shr(96, mload(add(ownerList, mul(a, 20))))
          switch token
          case 0 { value := balance(owner) }
          default {
            mstore(4, owner)
            let before := gas()
            let ok := staticcall(cap, token, 0, 36, 0x40, 32)
            if lt(returndatasize(), 32) { ok := 0 }
            if iszero(ok) {
              let burnt := gt(sub(before, gas()), div(cap, 2))
              mstore8(entry, a)
              mstore8(add(entry, 1), sub(0xff, burnt))
              entry := add(entry, 2)
              count := add(count, 1)
              if burnt { a := sub(owners, 1) }
              continue
            }
            value := mload(0x40)
          }
        }
        if value {
          let n := 0
          for { let v := value } v { v := shr(8, v) } { n := add(n, 1) }
          held := mul(2, gt(token, 0))
          mstore8(entry, or(a, sub(0, gt(a, owners))))
          mstore8(add(entry, 1), n)
          mstore(add(entry, 2), shl(sub(256, mul(8, n)), value))
          entry := add(add(entry, 2), n)
          count := add(count, 1)
        }
      }
      if halted { break }
      if count {
        mstore8(p, shr(8, t))
        mstore8(add(p, 1), t)
        mstore8(add(p, 2), count)
        p := entry
      }
    }

    // One word holds the whole head; it is written through a scratch word so that the first record survives.
    let mask := 0xffffffffffffffff
    let print := and(xor(blockhash(sub(number(), 1)), timestamp()), mask)
    let first := mload(add(out, 27))
    mstore(out, or(or(shl(248, 1), shl(184, and(height, mask))), or(shl(120, print), or(shl(56, and(chainid(), mask)), shl(40, t)))))
    mstore(add(out, 27), first)
    return(out, sub(p, out))
  }
}

/** Letters of other alphabets that look like a Latin one, as `look → meant` pairs after compatibility folding. */
const LOOKALIKES =
  'аa вb еe сc ԁd һh іi јj кk ӏl мm нh оo рp ѕs тt уy хx ѵv ԝw ԛq гr пn ьb ' +
  'αa βb εe ζz ηn ιi κk μm νv οo ρp τt υu χx γy ωw σo ' +
  'աw եt օo սu ոn հh գq ցg լl ' +
  'ɑa ɡg ɩi ıi łl øo đd ħh ŧt ƀb ɓb ƈc ƒf ʋv ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ' +
  '。. ․. ·. ∙. ⁄/ ∕/ ꞉: ∶: ⅼl ǀl ∣l'

/** Capitals that look like another letter than their small form does; only the capitals of Cherokee look Latin. */
const CAPITALS = 'Ηh Νn Υy Ꭺa Ᏼb Ꮯc Ꭰd Ꭼe Ꮐg Ꮋh Ꭵi Ꮶk Ꮮl Ꮇm Ꮲp Ꭱr Ꮪs Ꭲt Ꮩv Ꮃw Ꮓz'

const MEANT: ReadonlyMap<string, string> = new Map(
  `${LOOKALIKES} ${CAPITALS}`.split(' ').map((pair) => {
    const [look = '', meant = ''] = [...pair]
    return [look, meant]
  }),
)

/** Invisible characters: format characters, fillers, blanks. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/gu
const MARKS = /\p{M}/gu
const ASCII = /^[\x20-\x7e]*$/
/** Longest text that is examined, in UTF-16 units; all patterns below are limited to it. */
const LONGEST = 256

/** How a reader perceives a text: Latin lower case for everything that looks like it, invisible parts removed. */
export const readAs = (text: string): string => {
  const start = text.slice(0, LONGEST)
  if (ASCII.test(start)) return start.toLowerCase()
  const folded = [
    ...start
      .normalize('NFKD')
      .slice(0, 4 * LONGEST)
      .replace(INVISIBLE, '')
      .replace(MARKS, ''),
  ]
  const meant = folded.map((letter) => MEANT.get(letter) ?? MEANT.get(letter.toLowerCase()) ?? letter.toLowerCase())
  return meant.join('')
}

const ALIKE_DIGITS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  i: 'l',
  '|': 'l',
  '!': 'l',
  '5': 's',
  $: 's',
}

/** Equal for all texts that are easily confused: spaces removed, digits replaced by the letters they resemble. */
export const skeleton = (text: string): string =>
  readAs(text).replace(/[\s01i|!5$]/g, (found) => ALIKE_DIGITS[found] ?? '')

/** True when the text contains invisible characters. */
export const hasInvisible = (text: string): boolean => text.slice(0, LONGEST).search(INVISIBLE) >= 0

export const isAscii = (text: string): boolean => ASCII.test(text.slice(0, LONGEST))

const LATIN = /\p{Script=Latin}/u
const ALIKE_SCRIPTS = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u

/** True when one word mixes Latin with letters of an alphabet that looks like it, as no language does. */
export const mixesAlphabets = (text: string): boolean =>
  text
    .slice(0, LONGEST)
    .split(/\s+/)
    .some((word) => LATIN.test(word) && ALIKE_SCRIPTS.test(word))

// Text that a person decides about: every character is seen. Beside the controls that `visibleText` shows, these are spaces that look like
// the plain one, characters that have no width, and halves of characters.
import { visibleText } from './plain-text.ts'

/** A variation selector behind a picture belongs to it; the joiner inside an emoji was left by `visibleText`. */
const LOOKALIKES =
  /(?<emoji>(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))|\r|(?! )[\p{Zs}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}|[\u2800\u{1D159}\u{13441}\u{13442}]|\p{Cs}/gu

export const exactText = (text: string): string =>
  visibleText(text).replace(LOOKALIKES, (character, emoji: string | undefined) => emoji ?? numberText(character))

/** The number of characters that would not be seen, or would look like others. */
export const hiddenCount = (text: string): number => {
  const shown = exactText(text)
  return shown === text
    ? 0
    : (shown.match(/⟨U\+[0-9A-F]+⟩/g)?.length ?? 0) - (text.match(/⟨U\+[0-9A-F]+⟩/g)?.length ?? 0)
}

/** JSON in which hidden characters are written as escapes: the same value, and nothing to overlook, also in a text field. */
export const exactJson = (value: unknown): string =>
  (JSON.stringify(value, null, 2) ?? 'null').replace(ESCAPED, (character, emoji: string | undefined) => {
    if (emoji !== undefined) return emoji
    return Array.from({ length: character.length }, (_, unit) => escapeText(character.charCodeAt(unit))).join('')
  })

const ESCAPED =
  /(?<emoji>(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))|(?!\n)[\p{Cc}\p{Cf}]|(?! )[\p{Zs}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}|[\u2800\u{1D159}\u{13441}\u{13442}]|\p{Cs}/gu

const escapeText = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

const numberText = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** Letters that run from right to left: the order on the screen is not that of the characters. */
export const hasRightToLeft = (text: string): boolean =>
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)

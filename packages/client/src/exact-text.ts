// Text of agents, tools, and strangers as a page may show it. A page escapes markup; what is left are characters that are not seen or that
// turn the order of others around. They are shown by their number, so that the text that a person approves is all there is.

/** Control and format characters, except tab, line ends, and the joiner inside an emoji. */
const HIDDEN =
  /(?<emoji>(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))|(?![\t\n\r])[\p{Cc}\p{Cf}]/gu

/** Text to read: control and format characters are shown as `⟨U+202E⟩`. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (character, emoji: string | undefined) => emoji ?? numberText(character))

/**
 * Spaces that look like the plain one, characters that have no width, and halves of characters. A variation selector behind a picture
 * belongs to it; the joiner inside an emoji was left by `visibleText`.
 */
const LOOKALIKES =
  /(?<emoji>(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))|\r|(?! )[\p{Zs}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}|[\u2800\u{1D159}\u{13441}\u{13442}]|\p{Cs}/gu

/** Text that a person decides about: every character is seen, look-alikes of a space too. */
export const exactText = (text: string): string =>
  visibleText(text).replace(LOOKALIKES, (character, emoji: string | undefined) => emoji ?? numberText(character))

/** JSON in which hidden characters are escapes such as `\u202e`: the same value, and nothing to overlook, also in a text field. */
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

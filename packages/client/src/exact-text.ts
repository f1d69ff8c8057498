// Untrusted text for display. Markup is escaped elsewhere; these functions show invisible and bidirectional control
// characters as code points, so that people see everything they approve.

/** Control and format characters, except tabs, line breaks and joiners within emoji. */
const HIDDEN =
  /(?<emoji>(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))|(?![\t\n\r])[\p{Cc}\p{Cf}]/gu

/** Text for reading. Shows control and format characters as `⟨U+202E⟩`. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (character, emoji: string | undefined) => emoji ?? numberText(character))

/** Lookalikes of the space, zero-width characters and lone surrogates. Keeps variation selectors and joiners within emoji. */
const LOOKALIKES =
  /(?<emoji>(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))|\r|(?! )[\p{Zs}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}|[\u2800\u{1D159}\u{13441}\u{13442}]|\p{Cs}/gu

/** Text for decisions. Also shows lookalikes of the space. */
export const exactText = (text: string): string =>
  visibleText(text).replace(LOOKALIKES, (character, emoji: string | undefined) => emoji ?? numberText(character))

/** JSON with hidden characters escaped, such as `\u202e`: the same value, safe to review in a text field. */
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

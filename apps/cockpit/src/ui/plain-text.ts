// Text of agents, tools and strangers as a page may show it. React escapes markup; what is left are characters that are not seen
// or that turn the order of others around: they are shown by their number, so that the text that a person approves is all there is.

/** Control and format characters, except tab, line ends, and the joiner inside an emoji. */
const HIDDEN =
  /(?<emoji>(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))|(?![\t\n\r])[\p{Cc}\p{Cf}]/gu

export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (character, emoji: string | undefined) => emoji ?? `⟨U+${codePointText(character)}⟩`)

/** The name of a file to save: a file manager shows no numbers in place of hidden characters, so they go. */
export const plainName = (name: string): string =>
  name.replace(HIDDEN, (_, emoji: string | undefined) => emoji ?? '').replace(/[\t\n\r]/g, '')

/** True where `visibleText` would change something: a page may then say so. */
export const hasHiddenCharacters = (text: string): boolean => visibleText(text) !== text

const codePointText = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

// Text of agents, tools and strangers as a page may show it.
import { visibleText } from 'bridle/client'

export { visibleText } from 'bridle/client'

/** Control and format characters, except the joiner inside an emoji. */
const HIDDEN = /(?<emoji>(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))|[\p{Cc}\p{Cf}]/gu

/** The name of a file to save: a file manager shows no numbers in place of hidden characters, so they go. */
export const plainName = (name: string): string => name.replace(HIDDEN, (_, emoji: string | undefined) => emoji ?? '')

/** True where `visibleText` would change something: a page may then say so. */
export const hasHiddenCharacters = (text: string): boolean => visibleText(text) !== text

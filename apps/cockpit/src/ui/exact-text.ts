// Text that a person decides about: every character is seen.
import { exactText } from 'bridle/client'

export { exactJson, exactText } from 'bridle/client'

/** The number of characters that would not be seen, or would look like others. */
export const hiddenCount = (text: string): number => {
  const shown = exactText(text)
  return shown === text
    ? 0
    : (shown.match(/⟨U\+[0-9A-F]+⟩/g)?.length ?? 0) - (text.match(/⟨U\+[0-9A-F]+⟩/g)?.length ?? 0)
}

/** Letters that run from right to left: the order on the screen is not that of the characters. */
export const hasRightToLeft = (text: string): boolean =>
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)

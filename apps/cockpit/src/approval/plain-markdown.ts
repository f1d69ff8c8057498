import { textPieces } from '../ui/blank-runs.ts'
import { hasRightToLeft, hiddenCount } from '../ui/exact-text.ts'

/** Syntax with a part that markdown does not draw: addresses of links and pictures, definitions, entities, tags, and words behind the language of a code block. */
const UNDRAWN = /\]\s*[([:]|\[[^\]]*\]|&[#\w]+;|<[!/?a-z]|^\s*(?:`{3,}|~{3,})[^\S\n]*\S+[^\S\n]+\S/imu

/** Whether markdown draws all of a text, so that a person can approve what they see. */
export const isPlainMarkdown = (text: string): boolean =>
  hiddenCount(text) === 0 &&
  !hasRightToLeft(text) &&
  textPieces(text).every(({ type }) => type === 'text') &&
  !UNDRAWN.test(text)

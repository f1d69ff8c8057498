// The text of a question, to its last character. A long one has a box of its own.
import { textPieces } from '../../ui/blank-runs.ts'
import { Exact } from '../../ui/exact.tsx'
import { exactText } from '../../ui/exact-text.ts'
import { EndMark } from '../../ui/reading/end-mark.tsx'
import { ExactBlock } from '../exact-block.tsx'

/** Characters and lines of a text that stands among the options: the options of a longer one would be out of sight. */
const TEXT_CHARS = 400
const TEXT_LINES = 8

export const isLongText = (text: string): boolean =>
  text.length > TEXT_CHARS ||
  text.split('\n').length > TEXT_LINES ||
  textPieces(text).some(({ type }) => type === 'blank')

export const AskedText = ({ text }: { readonly text: string }) => {
  const link = lastLink(text)
  return (
    <>
      {isLongText(text) ? (
        <ExactBlock text={text} label="Question" />
      ) : (
        <p className="question-text exact">
          <Exact text={text} />
          <EndMark of={text} />
        </p>
      )}
      {link !== null && (
        <a className="small exact" href={link} target="_blank" rel="noreferrer">
          Open {link}
        </a>
      )}
    </>
  )
}

/** An address that stands alone on the last line. One with characters that cannot be seen is not offered. */
const lastLink = (text: string): string | null => {
  const line = text.split('\n').at(-1) ?? ''
  return /^https?:\/\/[^\s/]\S*$/.test(line) && exactText(line) === line ? line : null
}

import { useMemo } from 'react'
import { textPieces } from './blank-runs.ts'

/** A text that a person approves: hidden characters by their number, and long runs of blanks as a count. */
export const Exact = ({ text }: { readonly text: string }) => {
  const pieces = useMemo(() => textPieces(text), [text])
  return pieces.map((piece, at) =>
    piece.type === 'text' ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change their order
      <Blanks key={at} text={piece.text} />
    ),
  )
}

/** A count of blanks. It looks unlike text: a text can contain the same words. */
export const Blanks = ({ text }: { readonly text: string }) => <span className="blanks">{text}</span>

// Text of an answer, with the markers that stand in it.
import { Fragment, useRef } from 'react'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { Markers } from './markers/marker-row.tsx'
import { type SettledCuts, textPieces } from './markers/text-pieces.ts'
import type { TextMarker } from './thread-index.ts'

interface TextPartProps {
  readonly text: string
  readonly isStreaming?: boolean
  readonly marks: readonly TextMarker[] | undefined
}

export const TextPart = ({ text, isStreaming = false, marks }: TextPartProps) =>
  marks?.length ? (
    <MarkedText text={text} isStreaming={isStreaming} marks={marks} />
  ) : (
    <Markdown text={text} isStreaming={isStreaming} />
  )

const MarkedText = ({
  text,
  isStreaming,
  marks,
}: Required<TextPartProps> & { readonly marks: readonly TextMarker[] }) => {
  const settled = useRef<SettledCuts>(new Map())
  const textBefore = useRef('')
  // A retry writes another text.
  if (!text.startsWith(textBefore.current)) settled.current = new Map()
  textBefore.current = text
  const pieces = textPieces(text, marks, settled.current)
  return pieces.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have their place alone
    <Fragment key={at}>
      <Markdown text={piece.text} isStreaming={isStreaming && at === pieces.length - 1} />
      <Markers markers={piece.markers} />
    </Fragment>
  ))
}

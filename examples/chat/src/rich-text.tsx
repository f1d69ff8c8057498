// Just enough markdown for an example: code, bold and lists. What it does not know stays as it was written.
import type { TextMessagePartProps } from '@assistant-ui/react'
import { memo } from 'react'

export const RichText = memo(({ text }: TextMessagePartProps) =>
  // Every second piece was between fences; the last may still be open.
  pieces(text.split('```')).map(({ key, piece }) =>
    key % 2 === 1 ? <pre key={key}>{piece.replace(/^\w*\n/, '').trimEnd()}</pre> : <Prose key={key} text={piece} />,
  ),
)

const Prose = ({ text }: { text: string }) =>
  pieces(text.split(/\n{2,}/)).map(({ key, piece }) => piece.trim() !== '' && <Block key={key} text={piece} />)

const Block = ({ text }: { text: string }) => {
  const lines = text.split('\n').filter((line) => line !== '')
  if (!lines.every((line) => line.startsWith('- '))) return <p>{inline(text.trim())}</p>
  return (
    <ul>
      {pieces(lines).map(({ key, piece }) => (
        <li key={key}>{inline(piece.slice(2))}</li>
      ))}
    </ul>
  )
}

const inline = (text: string) =>
  pieces(text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/)).map(({ key, piece }) => {
    if (key % 2 === 0) return piece
    return piece.startsWith('`') ? <code key={key}>{piece.slice(1, -1)}</code> : <b key={key}>{piece.slice(2, -2)}</b>
  })

/** Text only grows at its end, so the place of a piece is what it is known by. */
const pieces = (texts: readonly string[]) => texts.map((piece, key) => ({ key, piece }))

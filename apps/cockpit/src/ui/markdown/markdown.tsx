// Text of an agent as markdown, while it comes and afterwards.

import { bytesText } from 'bridle/words'
import { useMemo, useRef, useState } from 'react'
import { Button } from '../button.tsx'
import { visibleText } from '../plain-text.ts'
import { Blocks } from './block.tsx'
import { blocksOf, emptyBlocks, growBlocks } from './blocks.ts'
import './markdown.css'

/** Longer texts are shown as their last lines until somebody asks for all: live markdown of more takes longer than a frame. */
const MARKDOWN_CHARS = 100_000
/** The lines of such a text that are shown at first. */
const TAIL_LINES = 200

interface MarkdownProps {
  readonly text: string
  /** More text may come. */
  readonly isStreaming?: boolean
}

export const Markdown = ({ text, isStreaming = false }: MarkdownProps) => {
  const [isWhole, setWhole] = useState(false)
  if (text.length > MARKDOWN_CHARS && !isWhole) return <LongText text={text} onWhole={() => setWhole(true)} />
  return isStreaming ? <GrowingText text={text} /> : <FinishedText text={text} />
}

/** The last lines of a very long text, as they are. */
const LongText = ({ text, onWhole }: { readonly text: string; readonly onWhole: () => void }) => (
  <div className="md">
    <p className="row small t3">
      <span>
        {bytesText(text.length)} of text: the last {TAIL_LINES} lines.
      </span>
      <Button look="ghost" onClick={onWhole}>
        Render all
      </Button>
    </p>
    <pre className="code">{visibleText(lastLines(text))}</pre>
  </div>
)

/** At most as many characters as a page renders without a pause, also where a text is one line. */
const lastLines = (text: string): string =>
  text
    .slice(-MARKDOWN_CHARS / 2)
    .split('\n')
    .slice(-TAIL_LINES)
    .join('\n')

const GrowingText = ({ text }: { readonly text: string }) => {
  const blocks = useRef(emptyBlocks)
  blocks.current = growBlocks(blocks.current, text)
  const { finished, tail } = blocks.current
  return (
    <div className="md growing">
      <Blocks tokens={[...finished, ...tail]} />
    </div>
  )
}

/** The whole text at once: references to addresses may stand anywhere in it. */
const FinishedText = ({ text }: { readonly text: string }) => {
  const tokens = useMemo(() => blocksOf(text), [text])
  return (
    <div className="md">
      <Blocks tokens={tokens} />
    </div>
  )
}

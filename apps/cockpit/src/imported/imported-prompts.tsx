import type { ImportedPrompt } from 'bridle/client'
import { exactCountText, plural } from 'bridle/words'
import { type ReactNode, useState } from 'react'
import { ExactBlock } from '../approval/exact-block.tsx'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import './imported.css'

/** Prompts on the page at first, and with each further step: a browser takes seconds to lay out thousands. */
const PROMPTS_SHOWN = 50

export interface ShownPrompt extends ImportedPrompt {
  /** The author and the place of the prompt; default: the id of its message. */
  readonly about?: string
}

interface ImportedPromptsProps {
  readonly prompts: readonly ShownPrompt[]
  /** A warning in the header. */
  readonly note?: ReactNode
  /** The level of the heading: the prompts may be a part of a page or of a dialog. */
  readonly heading?: 'h2' | 'h3'
}

/** The prompts of a file: each in full, in its order, and as many as there are. */
export const ImportedPrompts = ({ prompts, note, heading: Heading = 'h3' }: ImportedPromptsProps) => {
  const [shown, setShown] = useState(PROMPTS_SHOWN)
  const left = prompts.length - shown
  return (
    <section className="panel-c imported-prompts" aria-label="Prompts of the file">
      <header className="row">
        <Heading>Prompts</Heading>
        <span className="small t3 num">{exactCountText(prompts.length)}, in full</span>
        {note}
      </header>
      <ol>
        {prompts.slice(0, shown).map(({ message_id, text, input, about }, at) => (
          <li key={about ?? message_id}>
            <div className="row small t3">
              <span className="num">
                {at + 1} of {prompts.length}
              </span>
              <span className="mono imported-about">{visibleText(about ?? message_id)}</span>
            </div>
            <ExactBlock text={text} label={`Prompt ${at + 1}`} />
            {hasMore(input) && (
              <ExactBlock text={JSON.stringify(input, null, 2)} label={`Sent with prompt ${at + 1}`} />
            )}
          </li>
        ))}
      </ol>
      {left > 0 && (
        <div className="row imported-left">
          <span className="grow medium num">{plural(left, 'more prompt')} not shown yet</span>
          <Button onClick={() => setShown(shown + PROMPTS_SHOWN)}>Show {Math.min(left, PROMPTS_SHOWN)} more</Button>
        </div>
      )}
    </section>
  )
}

/** Whether the prompt has more than its text. */
const hasMore = (input: ImportedPrompt['input']): boolean =>
  input !== undefined &&
  (typeof input !== 'object' || input === null || Object.keys(input).some((name) => name !== 'prompt'))
